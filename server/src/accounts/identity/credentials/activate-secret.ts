import { appendChange } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { type Audit, actorOf } from '../../audit/audit.ts'
import { familyOf, type KnownSecret } from './credential-entry.ts'
import { activateNextSecret } from './credential-repository.ts'

interface Context {
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	log: Log
}

/**
 * Starts the grace period of the old secret when the new one is first used. The request does not wait: its authorization does not
 * depend on this, and the next use retries a failed write.
 */
export class SecretActivation {
	readonly #context: Context
	readonly #running = new Map<string, Promise<void>>()

	constructor(context: Context) {
		this.#context = context
	}

	/** Records a use of a waiting secret; concurrent uses write once. */
	note(secret: KnownSecret): void {
		if (this.#running.has(secret.hash)) return
		const failed = (error: unknown) =>
			this.#context.log.warn(
				{ err: error, credential: secret.credential.id },
				'identity: cannot start the grace period of a rotated secret; the next use tries again',
			)
		const ended = () => void this.#running.delete(secret.hash)
		this.#running.set(secret.hash, activateSecret(this.#context, secret).catch(failed).then(ended))
	}

	async settle(): Promise<void> {
		await Promise.all(this.#running.values())
	}
}

async function activateSecret(
	{ mutate, audit, clock }: Context,
	{ credential, hash, principal }: KnownSecret,
): Promise<void> {
	const { id, workspaceId } = credential
	await mutate(async (tx) => {
		const taken = await activateNextSecret(tx, workspaceId, id, hash, clock.nowMs())
		if (!taken) return
		const { area, target } = familyOf(principal.kind === 'ingest_token' ? 'ingest' : 'platform')
		const named = { kind: target, id, name: taken.name }
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: `${area}.activate`,
			target: named,
		})
		await appendChange(tx, 'credential', id, clock)
	})
}
