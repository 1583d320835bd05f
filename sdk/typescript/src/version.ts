/** What spans and metrics are said to be made by; a test holds the version equal to the package's. */
export const scope = { name: '@signalbox/sdk', version: '0.1.0' } as const
