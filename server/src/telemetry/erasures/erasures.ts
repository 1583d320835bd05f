import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BodyOf, erasureOperations, type OutputOf } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { isPostgres } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { paginate } from '../../platform/paging.ts'
import { type Processes, primary } from '../../platform/processes/processes.ts'
import { applyErasures, type ErasureContext, eraseRows, toSubject } from './erase-rows.ts'
import { type ErasureRow, insertErasure, listAllErasures, listErasures } from './erasure-repository.ts'

/** Where several programs may work on the same stores. */
interface SharedStores {
	feed: ChangeFeed
	log: Log
	processes: Processes
	dataDir: string
}

type ErasureView = OutputOf<(typeof erasureOperations)['create']>

/** Erasures that are asked for are carried out at once; this finds what nobody asked for again. */
const applyEveryMs = 60_000
/** A log that cannot be emptied now may be soon. */
const againMs = 10_000
const eraseKind = 'telemetry-erase'
/** A store may come back from a backup while the program runs; on an idle one the comparison would be most of what it does. */
const compareEveryMs = 300_000

/** Erasing what telemetry holds of one session or one person. */
export function openErasures(erasures: ErasureContext & SharedStores): {
	operations: BoundOperation[]
	close(): Promise<void>
} {
	const { store, jobs } = erasures
	const follower = followerOf(erasures)
	let comparedMs = Number.NEGATIVE_INFINITY
	jobs.every(eraseKind, applyEveryMs, async ({ signal, commit, again }) => {
		const beginMs = erasures.clock.nowMs()
		const compares = Math.abs(beginMs - comparedMs) >= compareEveryMs
		const isComplete = await applyErasures(erasures, signal, (id) => follower?.carriesOut(id), compares)
		if (compares) comparedMs = beginMs
		if (!isComplete) await commit((tx) => again(tx, erasures.clock.nowMs() + againMs))
	})
	const operations = bind(erasureOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listErasures(store.db, principalIn(context).workspaceId, query)
			return { erasures: rows.map(presentErasure), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => requestErasure(erasures, context, body),
	})
	return { operations, close: async () => follower?.close() }
}

/** SQLite has one program; a worker's log is emptied at its primary's request. */
function followerOf({
	processes,
	dataDir,
	...context
}: ErasureContext & SharedStores): ErasureFollower | null {
	if (!isPostgres(context.store.db) || processes.number !== primary) return null
	return new ErasureFollower({ ...context, markFile: join(dataDir, 'erasures.json') })
}

async function requestErasure(
	{ mutate, audit, clock, jobs }: ErasureContext,
	request: RequestContext,
	wanted: BodyOf<(typeof erasureOperations)['create']>,
): Promise<ErasureView> {
	const { session_id, user_id } = { session_id: null, user_id: null, ...wanted }
	if ((session_id === null) === (user_id === null)) throw needsOne()
	const principal = principalIn(request)
	const nowMs = clock.nowMs()
	const row: ErasureRow = {
		id: newId(nowMs),
		workspace_id: principal.workspaceId,
		session_id,
		user_id,
		created_at: nowMs,
		erased_at: null,
	}
	return mutate(async (tx) => {
		await insertErasure(tx, row)
		await jobs.enqueue(tx, { kind: eraseKind, key: '', workspaceId: null })
		await appendChange(tx, 'erasure', row.id, clock)
		await audit.record(tx, {
			workspaceId: row.workspace_id,
			actor: actorOf(principal),
			action: 'telemetry-erasures.create',
			// Not whom: the audit log outlives what was erased.
			target: { kind: session_id === null ? 'user' : 'session', id: row.id, name: '' },
			requestId: request.requestId,
		})
		return presentErasure(row)
	})
}

function presentErasure({ id, session_id, user_id, created_at, erased_at }: ErasureRow): ErasureView {
	return {
		id,
		session_id,
		user_id,
		status: erased_at === null ? 'pending' : 'done',
		created_at: toIso(created_at),
		erased_at: erased_at === null ? null : toIso(erased_at),
	}
}

function needsOne(): Problem {
	const detail = 'session_id or user_id, one of them, says whose telemetry it is'
	return new Problem('invalid_request', `body: ${detail}.`, {
		errors: [{ pointer: '', code: 'erasure', detail }],
	})
}

interface FollowContext extends Pick<ErasureContext, 'store' | 'clock' | 'shedLogs' | 'telemetry'> {
	feed: Pick<ChangeFeed, 'add'>
	log: Log
	/** Where it is kept up to when erasures were followed: what this program's logs hold may outlive it. */
	markFile: string
}

const retryMs = 10_000
/** Programs' clocks differ; what was done a little before the mark is followed again after a restart, which changes nothing. */
const slackMs = 600_000

/**
 * What another program on the same stores erased may still come out of the logs of this one: for each such erasure they are
 * emptied, and what came out is erased again.
 */
export class ErasureFollower {
	readonly #context: FollowContext
	readonly #followed = new Set<string>()
	#throughMs: number | null = null
	#running: Promise<void> | null = null
	#isAskedAgain = false
	#retry: NodeJS.Timeout | undefined
	#isClosed = false

	constructor(context: FollowContext) {
		this.#context = context
		const look = async () => this.look()
		context.feed.add({ kinds: ['erasure'], load: look, apply: look })
	}

	/** An erasure that this program carries out itself. */
	carriesOut(id: string): void {
		this.#followed.add(id)
	}

	/** Follows what there is, in the background. */
	look(): void {
		if (this.#isClosed) return
		this.#isAskedAgain = true
		this.#running ??= this.#run().finally(() => {
			this.#running = null
			// Asked between the last check and here.
			if (this.#isAskedAgain) this.look()
		})
	}

	async close(): Promise<void> {
		this.#isClosed = true
		clearTimeout(this.#retry)
		await this.#running
	}

	async #run(): Promise<void> {
		clearTimeout(this.#retry)
		try {
			while (this.#isAskedAgain) {
				this.#isAskedAgain = false
				if (!(await this.#follow())) this.#later()
			}
		} catch (error) {
			this.#context.log.warn({ err: error }, 'erasures: those of another program wait')
			this.#later()
		}
	}

	#later(): void {
		if (!this.#isClosed) this.#retry = setTimeout(() => this.look(), retryMs).unref()
	}

	/** False when the logs did not give out all that they hold. */
	async #follow(): Promise<boolean> {
		const { store, shedLogs, telemetry } = this.#context
		this.#throughMs ??= await this.#readMark()
		const since = this.#throughMs - slackMs
		const done = (await listAllErasures(store.db)).flatMap((row) =>
			row.erased_at !== null && row.erased_at > since && !this.#followed.has(row.id)
				? [{ row, erasedAt: row.erased_at }]
				: [],
		)
		for (const { row, erasedAt } of done.sort((a, b) => a.erasedAt - b.erasedAt)) {
			if (this.#isClosed || !(await shedLogs(toSubject(row)))) return false
			await eraseRows(telemetry, toSubject(row))
			this.#followed.add(row.id)
			if (erasedAt > this.#throughMs) await this.#mark(erasedAt)
		}
		return true
	}

	/** A program that begins has nothing in its logs. */
	async #readMark(): Promise<number> {
		try {
			const { through_ms } = JSON.parse(readFileSync(this.#context.markFile, 'utf8'))
			if (Number.isSafeInteger(through_ms)) return through_ms
		} catch {}
		return this.#mark(this.#context.clock.nowMs())
	}

	async #mark(ms: number): Promise<number> {
		const { markFile } = this.#context
		await writeFile(`${markFile}.new`, JSON.stringify({ through_ms: ms }), { flush: true, mode: 0o600 })
		await rename(`${markFile}.new`, markFile)
		this.#throughMs = ms
		return ms
	}
}
