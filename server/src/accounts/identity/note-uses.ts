import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
import { LastUses } from '../../platform/last-uses.ts'
import type { Log } from '../../platform/log.ts'
import { touchCredential } from './credentials/repository.ts'
import { touchSession } from './sessions/repository.ts'

/** Notes when each credential and each session was last used. */
export function noteUses({ db }: ControlStore, clock: Clock, log: Log) {
	const sessions = new LastUses<{ id: string }>({
		...{ db, clock, log, of: 'sessions' },
		touch: (tx, { id }, atMs) => touchSession(tx, id, atMs),
	})
	const keys = new LastUses<{ id: string; workspaceId: string }>({
		...{ db, clock, log, of: 'keys' },
		touch: (tx, { id, workspaceId }, atMs) => touchCredential(tx, workspaceId, id, atMs),
	})
	return {
		note: (principal: Principal) =>
			principal.kind === 'user'
				? sessions.note({ id: principal.sessionId })
				: keys.note({ id: principal.keyId, workspaceId: principal.workspaceId }),
		close: async () => {
			await sessions.close()
			await keys.close()
		},
	}
}
