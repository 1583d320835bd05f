import {
	type BodyOf,
	byScope,
	type ForwardedSignal,
	forwarderOperations,
	type OutputOf,
} from '@signalbox/contract'
import { recordChange } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { requireRoom } from '../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { parseHeaders } from '../../platform/http/read-body.ts'
import { authorize, principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseBadPort } from '../../platform/safe-fetch.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { attributeConditions } from '../index.ts'
import { forwardJob, handleForwarders } from './forward.ts'
import { changeOf, type ForwardCounts, type ForwarderContext, scopeOf } from './forwarder-context.ts'
import {
	type CursorRow,
	countForwarders,
	deleteCursors,
	deleteForwarder,
	type ForwarderRow,
	findForwarder,
	forgetWaits,
	insertCursors,
	insertForwarder,
	listCursors,
	listForwarders,
	updateForwarder,
} from './forwarder-repository.ts'
import { type ForwarderDocument, openHeaders, presentForwarder, sealHeaders } from './present-forwarder.ts'
import { sendTest } from './receivers/send-rows.ts'
import { beginningOf } from './signal-source.ts'

type NewForwarder = BodyOf<(typeof forwarderOperations)['create']>

/** The normalised address of a receiver. Throws like `assertUrl`. */
function parseReceiver(
	{ safeFetch }: Pick<ForwarderContext, 'safeFetch'>,
	kind: string,
	text: string,
): string {
	if (kind === 'otlp') {
		const url = refuseBadPort(safeFetch.assertUrl(text))
		if (url.search || url.hash) throw malformed('/url', 'has a query or a fragment, where a path is appended')
		return url.href
	}
	const url = URL.parse(text)
	const isPlain = url && /^(tcp|tls):$/.test(url.protocol) && url.hostname && url.port && !url.username
	if (!isPlain || !['', '/'].includes(url.pathname + url.search + url.hash))
		throw malformed('/url', 'is not tcp://host:port or tls://host:port')
	// The scheme is irrelevant: only host and port are checked.
	safeFetch.assertUrl(`http://${url.host}`)
	return `${url.protocol}//${url.host}`
}

/** Refuses settings without effect. */
function requireFitting({
	kind,
	signals,
	filter,
	hasHeaders,
}: Pick<NewForwarder, 'kind' | 'signals'> & {
	filter: NonNullable<NewForwarder['filter']>
	hasHeaders: boolean
}): void {
	const { attributes, ...ofSpans } = filter
	if (kind === 'syslog' && signals.some((signal) => signal !== 'audit'))
		throw malformed('/signals', 'may be audit alone, by syslog')
	if (kind === 'syslog' && hasHeaders) throw malformed('/headers', 'belongs to OTLP')
	if (Object.keys(ofSpans).length > 0 && !signals.includes('spans'))
		throw malformed('/filter', 'names agents, servers or kinds, and no spans are sent')
	attributeConditions(attributes)
	if (attributes && signals.every((signal) => signal === 'audit'))
		throw malformed('/filter/attributes', 'is about telemetry, of which none is sent')
}

/** Nobody can forward what they cannot read themselves. */
function requireReadable(request: RequestContext, signals: readonly ForwardedSignal[]): void {
	for (const signal of signals) {
		const refusal = authorize(byScope(scopeOf(signal)), principalIn(request))
		if (refusal) throw new Problem('forbidden', `For ${signal}: ${refusal.message}`)
	}
}

function malformed(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'forwarder', detail }],
	})
}

type Updated = BodyOf<(typeof forwarderOperations)['update']>

const maxForwarders = 20
const readOnly = ['id', 'kind', 'header_names', 'created_at', 'updated_at']

/** A forwarder of the workspace with its cursors. A malformed id or one of another workspace is the same 404 as an unknown id. */
export async function forwarderOrNotFound(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<{ row: ForwarderRow; cursors: CursorRow[] }> {
	const row = await findForwarder(db, workspaceId, id)
	if (!row) throw notFound('forwarder')
	return { row, cursors: await listCursors(db, workspaceId, [id]) }
}

export async function createForwarder(
	context: ForwarderContext,
	request: RequestContext,
	body: NewForwarder,
): Promise<ForwarderDocument> {
	const { sealer, clock } = context
	const { workspaceId } = principalIn(request)
	const { kind, signals, filter = {}, headers = {} } = body
	requireReadable(request, signals)
	requireFitting({ kind, signals, filter, hasHeaders: Object.keys(headers).length > 0 })
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: workspaceId, url: parseReceiver(context, kind, body.url) }
	const row: ForwarderRow = {
		...{ ...bound, ...sealHeaders(sealer, bound, parseHeaders(headers)) },
		...{ name: body.name, kind, filter: JSON.stringify(filter), enabled: body.enabled === false ? 0 : 1 },
		...{ created_at: nowMs, updated_at: nowMs },
	}
	return context.mutate(async (tx) => {
		await requireRoom(tx, workspaceId, { most: maxForwarders, what: 'forwarders', count: countForwarders })
		await insertForwarder(tx, row)
		const cursors = await addCursors(tx, row, signals, nowMs)
		await recordChange(
			tx,
			context,
			request,
			changeOf('create', row, { kind, signals, filter, enabled: row.enabled === 1 }),
		)
		await wake(tx, context, row)
		return presentForwarder(row, cursors, nowMs)
	})
}

export async function changeForwarder(
	context: ForwarderContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<ForwarderDocument> {
	const nowMs = context.clock.nowMs()
	return context.mutate(async (tx) => {
		const before = await forwarderOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentForwarder(before.row, before.cursors, nowMs)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const signals = body.signals ?? current.signals
		requireReadable(request, signals)
		const row = { ...before.row, ...valuesOf(context, before.row, body, nowMs) }
		const { filter, header_names } = presentForwarder(row, [], nowMs)
		requireFitting({ kind: current.kind, signals, filter, hasHeaders: header_names.length > 0 })
		await updateForwarder(tx, row.workspace_id, id, row)
		await changeCursors(tx, row, current.signals, signals, nowMs)
		await recordChange(
			tx,
			context,
			request,
			changeOf('update', row, { signals, filter, enabled: row.enabled === 1 }),
		)
		await wake(tx, context, row)
		return presentForwarder(row, await listCursors(tx, row.workspace_id, [id]), nowMs)
	})
}

/** Headers are for one origin: with another one, whoever set that address could read them. */
function valuesOf(
	context: ForwarderContext,
	before: ForwarderRow,
	body: Updated,
	nowMs: number,
): Partial<ForwarderRow> {
	const url = body.url === undefined ? before.url : parseReceiver(context, before.kind, body.url)
	const sameOrigin = new URL(url).origin === new URL(before.url).origin
	const kept = sameOrigin ? openHeaders(context.sealer, before) : new Map<string, string>()
	const headers = body.headers ? parseHeaders(body.headers) : kept
	return {
		...{ url, ...sealHeaders(context.sealer, { ...before, url }, headers), updated_at: nowMs },
		name: body.name ?? before.name,
		filter: body.filter ? JSON.stringify(body.filter) : before.filter,
		enabled: body.enabled === undefined ? before.enabled : Number(body.enabled),
	}
}

async function changeCursors(
	tx: DatabaseTransaction,
	row: ForwarderRow,
	before: readonly ForwardedSignal[],
	after: readonly ForwardedSignal[],
	nowMs: number,
): Promise<void> {
	const gone = before.filter((signal) => !after.includes(signal))
	await deleteCursors(tx, row.workspace_id, row.id, gone)
	await forgetWaits(tx, row.workspace_id, row.id)
	await addCursors(
		tx,
		row,
		after.filter((signal) => !before.includes(signal)),
		nowMs,
	)
}

async function addCursors(
	tx: DatabaseTransaction,
	{ id, workspace_id }: ForwarderRow,
	signals: readonly ForwardedSignal[],
	nowMs: number,
): Promise<CursorRow[]> {
	const cursors: CursorRow[] = []
	for (const signal of signals)
		cursors.push({
			...{ forwarder_id: id, signal, workspace_id, settled_at: nowMs },
			position: await beginningOf(tx, workspace_id, signal, nowMs),
			...{ sent: 0, refused: 0, last_refusal: null, sent_at: null },
			...{ error: null, failing_since: null, attempts: 0, next_at: null },
		})
	await insertCursors(tx, cursors)
	return cursors
}

/** The job ends by itself when its forwarder is off or deleted. */
async function wake(tx: DatabaseTransaction, { jobs }: ForwarderContext, row: ForwarderRow): Promise<void> {
	await jobs.enqueue(tx, { kind: forwardJob, key: row.id, workspaceId: row.workspace_id })
}

export async function removeForwarder(
	context: ForwarderContext,
	request: RequestContext,
	id: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		const { row, cursors } = await forwarderOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentForwarder(row, cursors, context.clock.nowMs()))
		await deleteForwarder(tx, row.workspace_id, id)
		await recordChange(tx, context, request, changeOf('delete', row))
	})
}

type Tested = OutputOf<(typeof forwarderOperations)['test']>

export async function testForwarder(
	context: ForwarderContext,
	request: RequestContext,
	id: string,
): Promise<Tested> {
	const { row, cursors } = await forwarderOrNotFound(context.store.db, principalIn(request).workspaceId, id)
	await context.mutate((tx) => recordChange(tx, context, request, changeOf('test', row)))
	const { signals } = presentForwarder(row, cursors, context.clock.nowMs())
	const results = signals.map(async (signal) => {
		const outcome = await sendTest(context, row, signal)
		const error = outcome.kind === 'later' ? outcome.error : outcome.reason
		return { signal, taken: error === null, error }
	})
	return { results: await Promise.all(results) }
}

function forwarderRoutes(forwarders: ForwarderContext): BoundOperation[] {
	const { store, clock } = forwarders
	return bind(forwarderOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const { rows, total } = await listForwarders(store.db, workspaceId, query)
			const ids = rows.map(({ id }) => id)
			const cursors = await listCursors(store.db, workspaceId, ids)
			const nowMs = clock.nowMs()
			return {
				forwarders: rows.map((row) => presentForwarder(row, cursors, nowMs)),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createForwarder(forwarders, context, body),
		get: async ({ params, context }) => {
			const found = await forwarderOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentForwarder(found.row, found.cursors, clock.nowMs())
		},
		update: ({ params, body, context }) => changeForwarder(forwarders, context, params.id, body),
		delete: async ({ params, context }) => void (await removeForwarder(forwarders, context, params.id)),
		test: ({ params, context }) => testForwarder(forwarders, context, params.id),
	})
}

/** Telemetry and audit records, sent to other systems as they are stored. */
export function openForwarders(given: Omit<ForwarderContext, 'counts'>): {
	operations: BoundOperation[]
	figures: Figure[]
} {
	const counts: ForwardCounts = { sent: 0, refused: 0, failed: 0, lag: new Map() }
	const context = { ...given, counts }
	handleForwarders(context)
	return { operations: forwarderRoutes(context), figures: figuresOf(context) }
}

const longAgoMs = 5 * 60 * 1000

function figuresOf({ counts, clock }: Pick<ForwarderContext, 'counts' | 'clock'>): Figure[] {
	const seen = () => [...counts.lag.values()].filter(({ atMs }) => atMs > clock.nowMs() - longAgoMs)
	return [
		{
			name: 'signalbox_forwarders_sent',
			help: 'Rows and audit records that receivers have taken from this process since the start',
			read: () => counts.sent,
			grows: true,
		},
		{
			name: 'signalbox_forwarders_refused',
			help: 'Rows and audit records that receivers have refused for good since the start',
			read: () => counts.refused,
			grows: true,
		},
		{
			name: 'signalbox_forwarders_failed',
			help: 'Requests to receivers that are made again, since the start',
			read: () => counts.failed,
			grows: true,
		},
		{
			name: 'signalbox_forwarders_lag_seconds_max',
			help: 'How far the forwarder that is furthest behind was when this process looked last',
			read: () => Math.max(0, ...seen().map(({ seconds }) => seconds)),
		},
	]
}
