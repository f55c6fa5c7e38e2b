import { invalidField } from '../lib/invalid-field.ts';
import { REPORT_STYLES, type ReportStyle } from '../research/model.ts';
import { Nullable, type Static, Type } from '../schema.ts';

/** The styles in the two spellings clients use. */
const SPELLINGS = REPORT_STYLES.flatMap((style) => [style.toLowerCase(), style]);

/** Body of `POST /api/prompt/enhance`. */
export const EnhanceRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, description: 'The prompt to improve.' }),
    context: Nullable(Type.String({ default: '', description: 'What the prompt is meant for.' })),
    report_style: Nullable(
      // The enum is for the documentation; any case is understood, "Academic" included.
      Type.String({ enum: SPELLINGS, default: 'academic', description: 'Style of the report; any case.' }),
    ),
  },
  { description: 'A prompt for the research agent.' },
);
export type EnhanceRequest = Static<typeof EnhanceRequest>;

/** Answer of `POST /api/prompt/enhance`. */
export const EnhanceAnswer = Type.Object({ result: Type.String({ description: 'The improved prompt.' }) });

/** The style a request names, academic when it names none. Throws a 422 that lists the styles. */
export function styleOf(request: EnhanceRequest): ReportStyle {
  const name = request.report_style ?? 'academic';
  const style = REPORT_STYLES.find((known) => known === name.toUpperCase());
  if (!style) throw invalidField('/report_style', `"report_style" must be one of ${SPELLINGS.join(', ')}.`);
  return style;
}
