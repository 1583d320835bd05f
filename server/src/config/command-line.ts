import type { Environment } from './config-file.ts'

/** What the command line gave, set once before a command runs: settings by their full names, and the file. */
export const commandLine: { flags: Environment; configFile: string | null } = { flags: {}, configFile: null }
