import packageJson from '../package.json';

/** Version of this build. */
export const VERSION: string = packageJson.version;
