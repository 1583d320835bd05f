import { randomBytes, timingSafeEqual } from 'node:crypto'
import {
	type JsonObject,
	namedFailure,
	parseJsonText,
	type RpcFailure,
	rpcCodes,
} from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import { type Database, type DatabaseTransaction, transact } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { Caller } from '../operation.ts'
import type { Page } from './cap-result.ts'

/** The server and the tool that returned a result. */
export interface Source {
	serverId: string
	tool: string
}

/** One stored page. */
export interface KeptPage extends Source {
	content: JsonObject[]
	/** Bytes on the pages after this one. */
	leftBytes: number
	/** The reference of the next page; null on the last one. */
	next: string | null
}

interface Content {
	content: JsonObject[]
	leftBytes: number
}

const lifeMs = 60 * 60_000
/** The limits for one result, and for all results of a workspace, in bytes. */
const maxResultBytes = 4 * 1024 * 1024
const maxWorkspaceBytes = 64 * 1024 * 1024

/**
 * The parts of results beyond the limit of their server, sealed in the control store, one row per page, for an hour. A reference
 * is random with a MAC over its agent and user, so every process can verify it without a read and nobody else can use it.
 */
export class KeptResults {
	readonly #db: Database
	readonly #sealer: Sealer
	readonly #clock: Clock

	constructor(db: Database, sealer: Sealer, clock: Clock) {
		this.#db = db
		this.#sealer = sealer
		this.#clock = clock
	}

	/**
	 * Stores the pages up to the limit. Returns the reference of the first page and the number of bytes stored. If the workspace
	 * is full, its oldest results are deleted.
	 */
	async keep(
		caller: Caller,
		{ serverId, tool }: Source,
		pages: readonly Page[],
	): Promise<{ reference: string; keptBytes: number }> {
		const { workspaceId } = caller
		const kept = withinMost(pages)
		const keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0)
		const result = randomBytes(12).toString('base64url')
		const created_at = this.#clock.nowMs()
		let leftBytes = keptBytes
		const rows = kept.map(({ content, bytes }, at) => {
			const id = `${result}.${at}`
			leftBytes -= bytes
			const text = JSON.stringify({ content, leftBytes } satisfies Content)
			const sealed_content = this.#sealer.seal(text, contextOf(workspaceId, id))
			return { id, workspace_id: workspaceId, server_id: serverId, tool, bytes, created_at, sealed_content }
		})
		await transact(this.#db, async (tx) => {
			await makeRoom(tx, workspaceId, keptBytes)
			await insertKeptPages(tx, rows)
		})
		return { reference: this.#referenceTo(caller, result, 0), keptBytes }
	}

	/** Throws `result_not_kept` (-32602) if the reference was not issued to this caller, or is over an hour old. */
	async read(caller: Caller, reference: string): Promise<KeptPage> {
		const [result = '', at = '', mac = ''] = reference.split('.')
		if (!isEqual(mac, this.#macOf(caller, result))) throw notKept()
		const row = await findKeptPage(this.#db, caller.workspaceId, `${result}.${at}`)
		if (!row || row.created_at < this.#clock.nowMs() - lifeMs) throw notKept()
		const text = this.#sealer.open(row.sealed_content, contextOf(caller.workspaceId, row.id))
		const { content, leftBytes } = parseJsonText(text) as Content
		const next = leftBytes > 0 ? this.#referenceTo(caller, result, Number(at) + 1) : null
		return { serverId: row.server_id, tool: row.tool, content, leftBytes, next }
	}

	sweep(): Promise<void> {
		return deleteKeptBefore(this.#db, this.#clock.deletionMs() - lifeMs)
	}

	#referenceTo(caller: Caller, result: string, at: number): string {
		return `${result}.${at}.${this.#macOf(caller, result)}`
	}

	#macOf({ workspaceId, agentId, userId }: Caller, result: string): string {
		return this.#sealer
			.mac('mcp-result', JSON.stringify([workspaceId, agentId, userId ?? '', result]))
			.slice(0, 32)
	}
}

/** As many whole pages as may be stored for a result. */
function withinMost(pages: readonly Page[]): Page[] {
	let sum = 0
	return pages.filter(({ bytes }) => {
		sum += bytes
		return sum <= maxResultBytes
	})
}

/** Deletes a workspace's oldest results until the newest fits. */
async function makeRoom(tx: DatabaseTransaction, workspaceId: string, bytes: number): Promise<void> {
	for (;;) {
		let over = (await sumKeptBytes(tx, workspaceId)) + bytes - maxWorkspaceBytes
		if (over <= 0) return
		const oldest = await listOldestKept(tx, workspaceId, 1000)
		const last = oldest.find((page) => {
			over -= page.bytes
			return over <= 0
		})
		await deleteKeptUpTo(tx, workspaceId, (last ?? oldest.at(-1))?.created_at ?? 0)
	}
}

function contextOf(workspaceId: string, id: string): SealContext {
	return { workspaceId, kind: 'mcp_result', origin: '', id }
}

function isEqual(given: string, right: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(right)]
	return a.length === b.length && timingSafeEqual(a, b)
}

function notKept(): RpcFailure {
	const text =
		'This reference was not given to this agent, or is over an hour old. Call the tool again, for less at a time if it can do that.'
	return namedFailure(rpcCodes.invalidParams, 'result_not_kept', text)
}

type KeptRow = ControlSchema['mcp_kept_results']

/** SQLite allows 32,766 bound values in a statement. */
const maxRows = 500

async function insertKeptPages(tx: DatabaseTransaction, rows: readonly KeptRow[]): Promise<void> {
	for (let from = 0; from < rows.length; from += maxRows)
		await tx
			.insertInto('mcp_kept_results')
			.values(rows.slice(from, from + maxRows))
			.execute()
}

function findKeptPage(db: Database, workspaceId: string, id: string): Promise<KeptRow | undefined> {
	return db
		.selectFrom('mcp_kept_results')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

async function sumKeptBytes(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
	const { total } = await tx
		.selectFrom('mcp_kept_results')
		.select((eb) => eb.fn.sum<number | null>('bytes').as('total'))
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirstOrThrow()
	return Number(total ?? 0)
}

/** The oldest pages of a workspace. All pages of a result have the same time. */
function listOldestKept(
	tx: DatabaseTransaction,
	workspaceId: string,
	limit: number,
): Promise<Pick<KeptRow, 'created_at' | 'bytes'>[]> {
	return tx
		.selectFrom('mcp_kept_results')
		.select(['created_at', 'bytes'])
		.where('workspace_id', '=', workspaceId)
		.orderBy('created_at')
		.limit(limit)
		.execute()
}

async function deleteKeptUpTo(tx: DatabaseTransaction, workspaceId: string, atMs: number): Promise<void> {
	await tx
		.deleteFrom('mcp_kept_results')
		.where('workspace_id', '=', workspaceId)
		.where('created_at', '<=', atMs)
		.execute()
}

/** Across workspaces: deletes pages that are too old to be read. */
async function deleteKeptBefore(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_kept_results').where('created_at', '<', atMs).execute()
}
