import type { RouteSnapshot } from './event-record.ts';

/** Keys of `deliver_extra` that say who reads a message; the others say how it looks or what it hangs on. */
const DESTINATION_KEYS = [
  ...['chat_id', 'channel', 'channel_id', 'room', 'room_id', 'thread_id', 'recipient', 'to', 'phone_number', 'address'],
  ...['topic', 'service', 'repo', 'project', 'project_id', 'url'],
];

/** Whether an event says who reads the answer to it: `origin`, or a destination with a placeholder. */
export function isDestinationFromEvent({ deliver, deliverExtra }: Pick<RouteSnapshot, 'deliver' | 'deliverExtra'>) {
  if (deliver === 'origin') return true;
  return DESTINATION_KEYS.some((key) => String(deliverExtra[key] ?? '').includes('{'));
}
