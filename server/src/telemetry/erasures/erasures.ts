import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BodyOf, erasureOperations, type OutputOf } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { isPostgres } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { paginate } from '../../platform/paging.ts'
import { type Processes, primary } from '../../platform/processes/processes.ts'
import { applyErasures, type ErasureContext, eraseRows, toSubject } from './erase-rows.ts'
import { type ErasureRow, insertErasure, listAllErasures, listErasures } from './erasure-repository.ts'

/** Set if several programs may use the same stores. */
interface SharedStores {
	feed: ChangeFeed
	log: Log
	processes: Processes
	dataDir: string
}

type ErasureView = OutputOf<(typeof erasureOperations)['create']>

/** Requested erasures are applied at once; this interval finds those that became necessary without a request. */
const applyEveryMs = 60_000
/** A log that cannot be emptied now may be soon. */
const againMs = 10_000
const eraseKind = 'telemetry-erase'
/**
 * A store may be restored from a backup while the program runs. On an idle program, more frequent comparisons would be most of its
 * work.
 */
const compareEveryMs = 300_000

/** Opens the erasures: they delete what telemetry contains about one session or one person. */
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

/** With SQLite there is only one program; a worker's log is emptied at the request of its primary. */
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
			// Without the subject's name, because the audit log outlives the erased data.
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

interface FollowContext
	extends Pick<ErasureContext, 'store' | 'clock' | 'shedLogs' | 'telemetry' | 'pauseMs'> {
	feed: Pick<ChangeFeed, 'add'>
	log: Log
	/** File with the time up to which erasures were followed, because this program's logs may have older rows. */
	markFile: string
}

const retryMs = 10_000
/** The programs' clocks differ, so erasures shortly before the mark are followed again after a restart. That is idempotent. */
const slackMs = 600_000

/**
 * After another program on the same stores erased a subject, this program's logs may still contain rows of that subject. For each
 * such erasure the logs are emptied into the store, and the erasure is repeated.
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
		const poll = async () => this.poll()
		context.feed.add({ kinds: ['erasure'], load: poll, apply: poll })
	}

	/** Notes an erasure that this program applies itself. */
	carriesOut(id: string): void {
		this.#followed.add(id)
	}

	/** Follows the existing erasures in the background. */
	poll(): void {
		if (this.#isClosed) return
		this.#isAskedAgain = true
		this.#running ??= this.#run().finally(() => {
			this.#running = null
			// `look` was called after the last check.
			if (this.#isAskedAgain) this.poll()
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
			this.#context.log.warn(
				{ err: error },
				'erasures: following those of another program failed and is tried again',
			)
			this.#later()
		}
	}

	#later(): void {
		if (!this.#isClosed) this.#retry = setTimeout(() => this.poll(), retryMs).unref()
	}

	/** False when the logs could not be emptied completely. */
	async #follow(): Promise<boolean> {
		const { store, shedLogs, telemetry, pauseMs } = this.#context
		this.#throughMs ??= await this.#readMark()
		const since = this.#throughMs - slackMs
		const done = (await listAllErasures(store.db)).flatMap((row) =>
			row.erased_at !== null && row.erased_at > since && !this.#followed.has(row.id)
				? [{ row, erasedAt: row.erased_at }]
				: [],
		)
		for (const { row, erasedAt } of done.sort((a, b) => a.erasedAt - b.erasedAt)) {
			if (this.#isClosed || !(await shedLogs(toSubject(row)))) return false
			await eraseRows(telemetry, toSubject(row), pauseMs)
			this.#followed.add(row.id)
			if (erasedAt > this.#throughMs) await this.#mark(erasedAt)
		}
		return true
	}

	/** Without a mark file the program is new and has nothing in its logs. */
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
