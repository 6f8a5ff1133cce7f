/** What the simulations of this tab may take. */

/** The most octets of memory on any machine. */
export const MOST_OCTETS = 1.5e9;
/** The most for each gigabyte of the machine: a browser has more tabs, and a machine more programs. */
const OCTETS_OF_A_GIGABYTE = MOST_OCTETS / 8;

/** The most octets on a machine with so many gigabytes, as far as the browser tells. */
export function mostOctets(gigabytes: number | undefined): number {
  return Math.min(MOST_OCTETS, (gigabytes ?? Infinity) * OCTETS_OF_A_GIGABYTE);
}

/** The machine's memory in gigabytes: at most 8 or 32, and undefined, as browsers wish. */
export function gigabytes(): number | undefined {
  return (navigator as { readonly deviceMemory?: number }).deviceMemory;
}
