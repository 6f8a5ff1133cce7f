/** What Python writes into a page for its script, `report.js`: `penstock.plot.values` and `penstock.show.league_readings`. */

/** A scale: whether it is logarithmic, its low end, its high end, its label. */
export type ScaleData = [isLog: boolean, low: number, high: number, label: string];

/** x and y, or x, a mean, and the ends of its interval. */
export type Point = [x: number, y: number, low?: number, high?: number];

export interface Series {
  label: string;
  /** A colour of the file, as `#0072B2`; the page has a variable for each. */
  colour: string;
  points: Point[];
  /** Whether the value at a place is that of the point before. */
  steps?: boolean;
}

/** Curves, lines and spots. If there are names, the x of a point is the place of its name. */
export interface MarksData {
  names: string[];
  series: Series[];
}

/** Each row is a name with its mean and interval, or a name without values. */
export interface RowsData {
  rows: [name: string, mean?: number, low?: number, high?: number][];
}

/** `cells[line][column]`, the lowest line first. */
export interface CellsData {
  quantity: string;
  columns: string[];
  lines: string[];
  cells: (number | null)[][];
}

/** The attribute `data-panel` of a panel: the place of its axes in the drawing, their scales, and the marks. */
export type PanelData = (CellsData | MarksData | RowsData) & {
  box: [left: number, top: number, width: number, height: number];
  x: ScaleData;
  y: ScaleData;
};

/** The runs of a figure, of which the reader chooses two schemes and a replication. */
export interface RunsData {
  schemes: string[];
  replications: number[];
  times: number[];
  /** The places of the two schemes that are shown first. */
  pair: number[];
  levels: number;
  /** The value of the highest level, for each run. */
  scales: number[];
  /** One octet for each reading, so many levels of its run; compressed (zlib), in base64. More than `levels`: none. */
  data: string;
}
