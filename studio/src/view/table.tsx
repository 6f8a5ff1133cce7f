/** A table that can be opened: what a picture shows, for who does not see it. */

import type { ComponentChildren, JSX } from "preact";

interface Parts {
  readonly summary: string;
  /** The name of the part of the page that scrolls. */
  readonly label: string;
  readonly heads: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

export function Table({ summary, label, heads, children }: Parts): JSX.Element {
  return (
    <details class="as-table">
      <summary>{summary}</summary>
      <div class="scroll" role="region" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((head, place) => (
                <th scope="col" key={place}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </details>
  );
}
