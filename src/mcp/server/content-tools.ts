import { fail } from '../../errors.ts';
import { REPORT_STYLES } from '../../research/model.ts';
import { OneOf, type Static, Type } from '../../schema.ts';
import type { ContentInput, GeneratedFile } from './ports.ts';
import type { AgentTool } from './tool.ts';

const ContentArguments = Type.Object(
  {
    content: Type.String({ minLength: 1, maxLength: 500_000, description: 'The text, usually a report in Markdown.' }),
    locale: Type.Optional(Type.String({ maxLength: 35, description: 'Language, for example en-US.' })),
  },
  { additionalProperties: false },
);
const FileResult = Type.Object({
  file_name: Type.String(),
  media_type: Type.String(),
  size_bytes: Type.Integer(),
});
const annotations = { readOnlyHint: true, openWorldHint: true };

/** The arguments of a call, which were checked against {@link ContentArguments} before it. */
function contentOf(args: Record<string, unknown>): ContentInput {
  return args as Static<typeof ContentArguments>;
}

/** `generate_slides`: a text as a presentation. */
export const slidesTool: AgentTool = {
  name: 'generate_slides',
  title: 'Make slides',
  description: 'Makes a PowerPoint presentation (.pptx, native and editable) from a text, with notes and charts.',
  input: ContentArguments,
  output: FileResult,
  annotations,
  isOffered: (ports) => ports.generateSlides !== undefined,
  async run(args, { ports, signal, progress }) {
    progress('Making the slides');
    const file = await ports.generateSlides?.(contentOf(args), signal);
    return { structured: describe(file), content: [summary(file), embedded(file)] };
  },
};

/** `generate_podcast`: a text spoken by two voices. */
export const podcastTool: AgentTool = {
  name: 'generate_podcast',
  title: 'Make a podcast',
  description: 'Makes a podcast episode (MP3, two voices) from a text.',
  input: ContentArguments,
  output: FileResult,
  annotations,
  isOffered: (ports) => ports.generatePodcast !== undefined,
  async run(args, { ports, signal, progress }) {
    progress('Writing and speaking the podcast');
    const file = await ports.generatePodcast?.(contentOf(args), signal);
    return {
      structured: describe(file),
      content: [summary(file), { type: 'audio', data: base64(file), mimeType: file?.mediaType ?? 'audio/mpeg' }],
    };
  },
};

const EnhanceArguments = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 50_000, description: 'The prompt to improve.' }),
    context: Type.Optional(Type.String({ maxLength: 50_000, description: 'What it is for.' })),
    report_style: Type.Optional(
      OneOf(
        REPORT_STYLES.map((style) => style.toLowerCase()),
        { description: 'Style of the report it will ask for.' },
      ),
    ),
  },
  { additionalProperties: false },
);

/** `enhance_prompt`: a prompt made clearer. */
export const enhanceTool: AgentTool = {
  name: 'enhance_prompt',
  title: 'Improve a prompt',
  description: 'Rewrites a prompt so that it says more precisely what is wanted.',
  input: EnhanceArguments,
  output: Type.Object({ result: Type.String({ description: 'The improved prompt.' }) }),
  annotations,
  isOffered: (ports) => ports.enhancePrompt !== undefined,
  async run(args, { ports, signal }) {
    const result = await ports.enhancePrompt?.(args as Static<typeof EnhanceArguments>, signal);
    return { structured: { result }, content: [{ type: 'text', text: result ?? '' }] };
  },
};

function describe(file: GeneratedFile | undefined): Record<string, unknown> {
  if (!file) throw fail('tool_not_offered', 'This tool is not available here.');
  return { file_name: file.fileName, media_type: file.mediaType, size_bytes: file.bytes.byteLength };
}

function summary(file: GeneratedFile | undefined): { type: 'text'; text: string } {
  const kilobytes = Math.ceil((file?.bytes.byteLength ?? 0) / 1024);
  return { type: 'text', text: `${file?.fileName} (${file?.mediaType}, ${kilobytes} kB)` };
}

function embedded(file: GeneratedFile | undefined) {
  const uri = `agent://files/${encodeURIComponent(file?.fileName ?? '')}`;
  return { type: 'resource' as const, resource: { uri, mimeType: file?.mediaType ?? '', blob: base64(file) } };
}

function base64(file: GeneratedFile | undefined): string {
  return Buffer.from(file?.bytes ?? []).toString('base64');
}
