export * from './log-directories.ts'
export * from './stores.ts'
