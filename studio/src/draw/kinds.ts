/** The bits of a PDU's kind, as crates/wasm documents them. */

export const IS_CONTROL = 1;
export const IS_TAGGED = 2;
export const IS_REPEATED = 64;
