import { parseJsonText } from '../../mcp-client/index.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import { type ControlStore, lockCount } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { Waiters } from '../../platform/waiters.ts'
import { hasEnded, newState, type Task, type TaskState, type TaskStatus } from './task.ts'
import {
	changeTask,
	countRunning,
	deleteExpiredTasks,
	findOwnTask,
	findTask,
	holdTasks,
	insertTask,
	listAbandoned,
	listOwnTasks,
	type TaskOwner,
	type TaskRow,
	takeTask,
} from './task-repository.ts'

/** The changed fields of a task; null means no change. */
export type TaskChanges = Partial<Pick<Task, 'status' | 'statusMessage'>> & { state?: Partial<TaskState> }

export interface TaskSeed {
	owner: TaskOwner & { serverId: string }
	tool: string
	ttlMs: number
	/** Caller and request, as JSON. */
	call: string
	state?: Partial<TaskState>
}

/** Duration of a lease. A process that is gone is noticed when its leases expire. */
const heldMs = 20_000

/** The tasks of all processes on the store. The rows are authoritative, so every process can answer for every task. */
export class TaskStore {
	/** Notified of changes. */
	readonly waiters = new Waiters('mcp_task')
	readonly #store: ControlStore
	readonly #mutate: Mutate
	readonly #sealer: Sealer
	readonly #clock: Clock
	readonly #isAlone: boolean
	/** The id of this process. */
	readonly #by: string

	constructor(store: ControlStore, mutate: Mutate, sealer: Sealer, clock: Clock, isAlone: boolean) {
		this.#store = store
		this.#mutate = mutate
		this.#sealer = sealer
		this.#clock = clock
		this.#isAlone = isAlone
		this.#by = newId(clock.nowMs())
	}

	/** The task is stored before its client is notified. Null if `runningMost` tasks of the agent already run. */
	async create({ owner, tool, ttlMs, call, state }: TaskSeed, runningMost: number): Promise<Task | null> {
		const nowMs = this.#clock.nowMs()
		const id = newId(nowMs)
		const context = contextOf(owner.workspaceId, id)
		const row: TaskRow = {
			id,
			workspace_id: owner.workspaceId,
			agent_id: owner.agentId,
			server_id: owner.serverId,
			user_id: owner.userId,
			tool,
			status: 'working',
			status_message: null,
			...{ created_at: nowMs, updated_at: nowMs, expires_at: nowMs + ttlMs },
			version: 1,
			held_by: this.#by,
			held_until: nowMs + heldMs,
			sealed_call: this.#sealer.seal(call, context),
			sealed_state: this.#sealer.seal(JSON.stringify({ ...newState, ...state }), context),
		}
		const isStored = await this.#mutate(async (tx) => {
			await lockCount(tx, `tasks ${owner.agentId}`)
			if ((await countRunning(tx, owner.workspaceId, owner.agentId)) >= runningMost) return false
			await insertTask(tx, row)
			return true
		})
		return isStored ? this.#read(row) : null
	}

	async findOwn(owner: TaskOwner, id: string): Promise<Task | null> {
		const row = await findOwnTask(this.#store.db, owner, id, this.#clock.nowMs())
		return row ? this.#read(row) : null
	}

	async listOwn(owner: TaskOwner, before: string | null, limit: number): Promise<Task[]> {
		const rows = await listOwnTasks(this.#store.db, owner, before, limit, this.#clock.nowMs())
		return rows.map((row) => this.#read(row))
	}

	async find({ workspaceId, id }: Pick<Task, 'workspaceId' | 'id'>): Promise<Task | null> {
		const row = await findTask(this.#store.db, workspaceId, id)
		return row ? this.#read(row) : null
	}

	/**
	 * Applies `next` to a task, and retries if another process was faster. Null if the task does not exist, has ended, or `next`
	 * returns null.
	 */
	async change(
		which: Pick<Task, 'workspaceId' | 'id'>,
		next: (task: Task) => TaskChanges | null,
	): Promise<Task | null> {
		for (;;) {
			const task = await this.find(which)
			const changes = task && !hasEnded(task) ? next(task) : null
			if (!task || !changes) return null
			const changed = await this.#write(task, changes)
			if (changed) return changed
		}
	}

	/** Takes over the tasks of processes that are gone. Resolves with the tasks and their calls. */
	async takeAbandoned(): Promise<{ task: Task; call: string }[]> {
		const nowMs = this.#clock.nowMs()
		const { db } = this.#store
		// If no other process can be on the store, tasks of any other process are abandoned.
		const rows = await listAbandoned(db, this.#by, nowMs, this.#isAlone)
		const taken: { task: Task; call: string }[] = []
		for (const row of rows)
			if (await takeTask(db, row, this.#by, nowMs + heldMs))
				taken.push({
					task: this.#read(row),
					call: this.#sealer.open(row.sealed_call, contextOf(row.workspace_id, row.id)),
				})
		return taken
	}

	/** Renews the leases. Must be called more often than they expire. */
	hold(): Promise<void> {
		return holdTasks(this.#store.db, this.#by, this.#clock.nowMs() + heldMs)
	}

	/** Gives up the leases: this process runs no tasks any more. */
	releaseLeases(): Promise<void> {
		return holdTasks(this.#store.db, this.#by, 0)
	}

	sweep(): Promise<void> {
		return deleteExpiredTasks(this.#store.db, this.#clock.deletionMs())
	}

	async #write(task: Task, { state, ...changes }: TaskChanges): Promise<Task | null> {
		const next = { ...task, ...changes, state: { ...task.state, ...state } }
		const values = {
			status: next.status,
			status_message: next.statusMessage,
			updated_at: this.#clock.nowMs(),
			sealed_state: this.#sealer.seal(JSON.stringify(next.state), contextOf(task.workspaceId, task.id)),
		}
		const { workspaceId, id, version } = task
		const isChanged = await this.#mutate(async (tx) => {
			const isWritten = await changeTask(tx, workspaceId, id, version, values)
			if (isWritten) await appendChange(tx, 'mcp_task', id, this.#clock)
			return isWritten
		})
		return isChanged ? { ...next, updatedAtMs: values.updated_at, version: version + 1 } : null
	}

	#read(row: TaskRow): Task {
		const state = this.#sealer.open(row.sealed_state, contextOf(row.workspace_id, row.id))
		return {
			id: row.id,
			workspaceId: row.workspace_id,
			agentId: row.agent_id,
			serverId: row.server_id,
			tool: row.tool,
			status: row.status as TaskStatus,
			statusMessage: row.status_message,
			createdAtMs: Number(row.created_at),
			updatedAtMs: Number(row.updated_at),
			expiresAtMs: Number(row.expires_at),
			version: row.version,
			state: parseJsonText(state) as TaskState,
		}
	}
}

function contextOf(workspaceId: string, id: string): SealContext {
	return { workspaceId, kind: 'mcp_task', origin: '', id }
}
