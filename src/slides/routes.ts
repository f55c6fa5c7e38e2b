import { Elysia } from 'elysia';
import { binaryResponse } from '../http/openapi-details.ts';
import { attachment } from './file-name.ts';
import type { SlideGenerator } from './generate.ts';
import { GenerateSlidesRequest, PPTX_MEDIA_TYPE } from './model.ts';

/** What the slide routes need. */
export interface SlideRoutesNeeds {
  slides: SlideGenerator;
}

/** `POST /api/ppt/generate`: a report in, a PowerPoint file out. */
export function createSlideRoutes({ slides }: SlideRoutesNeeds) {
  return new Elysia({ name: 'slide-routes', prefix: '/api/ppt' }).post(
    '/generate',
    async ({ body, request, server }) => {
      // A model may think for longer than an idle connection lives.
      server?.timeout(request, 0);
      const { bytes, title } = await slides.generate(body, request.signal);
      return new Response(bytes as Uint8Array<ArrayBuffer>, {
        headers: { 'content-type': PPTX_MEDIA_TYPE, 'content-disposition': attachment(title, 'pptx') },
      });
    },
    {
      body: GenerateSlidesRequest,
      detail: {
        tags: ['Content'],
        summary: 'Make a PowerPoint presentation from a report',
        description:
          'Native, editable text, tables and charts with speaker notes. The language model plans the slides; without one they follow the headings, lists and tables of the Markdown.',
        responses: binaryResponse(PPTX_MEDIA_TYPE),
      },
    },
  );
}
