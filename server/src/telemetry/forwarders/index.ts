import { forwarderOperations } from '@signalbox/contract'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import {
	changeForwarder,
	createForwarder,
	forwarderOrNotFound,
	removeForwarder,
	testForwarder,
} from './change-forwarders.ts'
import { handleForwarders } from './forward.ts'
import type { Change, ForwardCounts, ForwarderContext } from './forwarder-context.ts'
import { listCursors, listForwarders } from './forwarder-repository.ts'
import { presentForwarder } from './present-forwarder.ts'

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
		create: ({ body, context }) => createForwarder(forwarders, changeBy(context), body),
		get: async ({ params, context }) => {
			const found = await forwarderOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentForwarder(found.row, found.cursors, clock.nowMs())
		},
		update: ({ params, body, context }) => changeForwarder(forwarders, changeBy(context), params.id, body),
		delete: async ({ params, context }) =>
			void (await removeForwarder(forwarders, changeBy(context), params.id)),
		test: ({ params, context }) => testForwarder(forwarders, changeBy(context), params.id),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
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
		},
		{
			name: 'signalbox_forwarders_refused',
			help: 'Rows and audit records that receivers have refused for good since the start',
			read: () => counts.refused,
		},
		{
			name: 'signalbox_forwarders_failed',
			help: 'Requests to receivers that are made again, since the start',
			read: () => counts.failed,
		},
		{
			name: 'signalbox_forwarders_lag_seconds_max',
			help: 'How far the forwarder that is furthest behind was when this process looked last',
			read: () => Math.max(0, ...seen().map(({ seconds }) => seconds)),
		},
	]
}
