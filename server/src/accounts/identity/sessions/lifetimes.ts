const dayMs = 24 * 60 * 60 * 1000

/** Refreshing does not prolong a session: after this a person signs in anew. */
export const sessionLifetimeMs = 30 * dayMs

/** A session that nobody used for so long has ended too. */
export const idleLimitMs = 14 * dayMs
