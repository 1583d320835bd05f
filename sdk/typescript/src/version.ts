/** The instrumentation scope of spans and metrics; a test keeps the version equal to the package's. */
export const scope = { name: '@signalbox/sdk', version: '0.1.0' } as const
