/** What audio is packed in. */
export type AudioFormat = 'mp3' | 'wav';

/** One text to be spoken by one voice. */
export interface SpeechRequest {
  text: string;
  /** Voice as the engine names it; `male` and `female` stand for the engine's own two. */
  voice?: string;
  /** Language of the text (BCP 47), for engines whose voices are chosen by language. */
  language?: string;
  /** What is wanted; an engine may give the other one. */
  format: AudioFormat;
  /** 1 is the voice's own. */
  speed?: number;
  volume?: number;
  pitch?: number;
  textType?: 'plain' | 'ssml';
  /** Volcengine's front end; other engines ignore it. */
  withFrontend?: number;
  frontendType?: string;
  /** Caller's id, sent on to engines that take one. */
  runId?: string;
}

/** A speech provider or program. It makes one attempt per call; retries are the caller's. */
export interface SpeechEngine {
  /** Name for people, in every error sentence. */
  readonly name: string;
  /** Most UTF-8 bytes of one call. */
  readonly maxTextBytes: number;
  readonly voices: { male: string; female: string };
  /** Throws when a required setting is missing, naming it. */
  checkReady(): void;
  /** Throws an AppError `upstream_*`; rejects with the signal's reason on abort. */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Uint8Array>;
}

/** Where a line lies in the mixed audio. */
export interface MixedLine {
  startMs: number;
  durationMs: number;
}

/** A part of an audio file that players can jump to. */
export interface Chapter {
  title: string;
  startMs: number;
}

/** Puts spoken lines, one after the other, into one MP3. The work is done in a worker of its own. */
export interface Mixer {
  /** Takes ownership of `audio`; rejects with `audio_unreadable` when it is neither WAV nor MP3. */
  add(audio: Uint8Array): Promise<MixedLine>;
  finish(tag: { title: string; chapters: Chapter[] }): Promise<{ bytes: Uint8Array; durationMs: number }>;
  /** Ends the worker; safe to call twice. */
  close(): void;
}

/** Text to speech for every feature: splitting, retries, limits and conversion are inside. */
export interface Speech {
  readonly engine: Pick<SpeechEngine, 'name' | 'voices'>;
  /** Throws `speech_not_configured` (400) when the engine lacks a setting. */
  checkReady(): void;
  /** The text as audio in the format asked for. */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Uint8Array>;
  /** The text as one WAV or MP3 file, whichever the engine gives, checked to be one of them. */
  speakLine(request: SpeechRequest, signal: AbortSignal): Promise<Uint8Array>;
  openMixer(): Mixer;
  /** Ends idle workers. */
  stop(): void;
}
