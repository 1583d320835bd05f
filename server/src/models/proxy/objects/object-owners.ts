import type { Clock } from '../../../platform/clock.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import type { Log } from '../../../platform/log.ts'

/** Who creates or names objects, and over which connection. */
export interface Owner {
	workspaceId: string
	connectionId: string
	/** The agent's id; '' for the workspace's own keys, which count as one owner. */
	owner: string
}

const dayMs = 86_400_000
/** Providers keep responses for 30 days, and these objects until they are deleted. */
const lasting = /^(file|batch|msgbatch|assistant|conv|vs)/
const lifeMs = 31 * dayMs
const cleanEveryMs = dayMs / 24
/** Rows per statement: stores limit the number of bound values. */
const rowsAtOnce = 100

/** The owners of the objects that providers store. Each object is open only to the agent that created it. */
export class ObjectOwners {
	readonly #db: Database
	readonly #clock: Clock
	readonly #log: Log
	#waiting: ObjectRow[] = []
	/** The next write. Notes made while another write runs share it. */
	#next: Promise<void> | null = null
	#running: Promise<void> = Promise.resolve()
	#cleanedMs = 0

	constructor(db: Database, clock: Clock, log: Log) {
		this.#db = db
		this.#clock = clock
		this.#log = log
	}

	/**
	 * Stores who created these objects, and the deferred call of which they are parts, if any. An object that cannot be stored is
	 * open to nobody.
	 */
	note(owner: Owner, ids: Iterable<string>, whole = ''): Promise<void> {
		for (const id of ids) this.#waiting.push(this.#rowOf(owner, id, id === whole ? '' : whole))
		this.#next ??= this.#running.then(() => {
			this.#next = null
			this.#running = this.#write(this.#waiting.splice(0))
			return this.#running
		})
		return this.#next
	}

	/** The first of these that the owner did not create; null if there is none. */
	async findForeign(owner: Owner, ids: readonly string[]): Promise<string | null> {
		await this.#next
		const owned = new Set(await findOwned(this.#db, owner, ids))
		return ids.find((id) => !owned.has(id)) ?? null
	}

	#rowOf({ workspaceId, connectionId, owner }: Owner, id: string, whole: string): ObjectRow {
		const nowMs = this.#clock.nowMs()
		return {
			workspace_id: workspaceId,
			connection_id: connectionId,
			object_id: id,
			owner,
			created_at: nowMs,
			part_of: whole || null,
			expires_at: lasting.test(id) ? null : nowMs + lifeMs,
		}
	}

	async #write(rows: ObjectRow[]): Promise<void> {
		try {
			for (let at = 0; at < rows.length; at += rowsAtOnce)
				await insertObjects(this.#db, rows.slice(at, at + rowsAtOnce))
			await this.#clean()
		} catch (error) {
			this.#log.warn({ err: error }, 'model proxy: the owners of stored objects could not be stored')
		}
	}

	async #clean(): Promise<void> {
		const nowMs = this.#clock.nowMs()
		if (Math.abs(nowMs - this.#cleanedMs) < cleanEveryMs) return
		this.#cleanedMs = nowMs
		await deleteExpired(this.#db, this.#clock.deletionMs())
	}
}

type ObjectRow = ControlSchema['provider_objects']

/** Existing objects keep their owner. */
async function insertObjects(db: Queryable, rows: readonly ObjectRow[]): Promise<void> {
	await db
		.insertInto('provider_objects')
		.values([...rows])
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id']).doNothing())
		.execute()
}

/** Which of these objects the owner created over the connection. */
async function findOwned(
	db: Queryable,
	{ workspaceId, connectionId, owner }: { workspaceId: string; connectionId: string; owner: string },
	ids: readonly string[],
): Promise<string[]> {
	const rows = await db
		.selectFrom('provider_objects')
		.select('object_id')
		.where('workspace_id', '=', workspaceId)
		.where('connection_id', '=', connectionId)
		.where('owner', '=', owner)
		.where('object_id', 'in', ids)
		.execute()
	return rows.map(({ object_id }) => object_id)
}

async function deleteExpired(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('provider_objects').where('expires_at', '<', nowMs).execute()
}
