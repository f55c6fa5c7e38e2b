import { REPORT_STYLES } from '../../research/model.ts';

/** The styles of reports as they are typed: `popular_science`. */
export const STYLE_NAMES: readonly string[] = REPORT_STYLES.map((style) => style.toLowerCase());
