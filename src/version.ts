import packageJson from '../package.json';

/** Set by `scripts/build.ts`. */
declare const BUILD_COMMIT: string | undefined;

/** Version of this build. */
export const VERSION: string = packageJson.version;

/** The commit it was built from, with `-dirty` after local changes; unknown when run from source. */
export const COMMIT: string | undefined = typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : undefined;
