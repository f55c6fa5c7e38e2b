export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** One statement; parameters are `$1`, `$2`, … numbered in the order of their first appearance. */
export interface Statement {
  sql: string;
  params: SqlValue[];
}

/** The seam between the stores and an SQL engine. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Opens the database and applies missing migrations. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Rows of one read. */
  read(sql: string, params: SqlValue[]): Promise<Row[]>;
  /** Runs the statements as one transaction and returns the rows of each. */
  write(statements: Statement[]): Promise<Row[][]>;
}
