import { deleteExpiredTokens } from './accounts/tokens/repository.ts'
import type { IdentityContext } from './context.ts'
import { deleteOldOauthTokens } from './credentials/repository.ts'
import { deleteExpiredMailLinks } from './mail-links/repository.ts'

/** Of access tokens that ended: until then one sees when they were last used. */
const oauthTokensKeptMs = 7 * 24 * 60 * 60 * 1000
const everyMs = 5 * 60 * 1000

/** Deletes what has expired, on every node: what another one deleted already is simply gone. */
export function startHousekeeping(context: IdentityContext): { stop(): void } {
	const timer = setInterval(() => context.background.run('housekeeping', () => cleanUp(context)), everyMs)
	timer.unref()
	return { stop: () => clearInterval(timer) }
}

async function cleanUp({ store, clock, throttle }: IdentityContext): Promise<void> {
	await throttle.prune()
	await deleteExpiredTokens(store.db, clock.deletionMs())
	await deleteExpiredMailLinks(store.db, clock.deletionMs())
	await deleteOldOauthTokens(store.db, clock.deletionMs() - oauthTokensKeptMs)
}
