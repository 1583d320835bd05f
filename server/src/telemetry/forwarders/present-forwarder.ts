import {
	type ForwardedSignal,
	forwardedSignals,
	type forwarderOperations,
	type OutputOf,
} from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { CursorRow, ForwarderRow } from './forwarder-repository.ts'

type Bound = Pick<ForwarderRow, 'id' | 'workspace_id' | 'url'>

/** Sealed for the origin of the address, so that they cannot be opened for another one. */
export function sealHeaders(
	sealer: Sealer,
	row: Bound,
	headers: ReadonlyMap<string, string>,
): Pick<ForwarderRow, 'sealed_headers' | 'header_names'> {
	return {
		sealed_headers: headers.size === 0 ? null : sealer.seal(JSON.stringify([...headers]), contextOf(row)),
		header_names: JSON.stringify([...headers.keys()]),
	}
}

export function openHeaders(
	sealer: Sealer,
	row: Bound & Pick<ForwarderRow, 'sealed_headers'>,
): Map<string, string> {
	return new Map(
		row.sealed_headers === null ? [] : JSON.parse(sealer.open(row.sealed_headers, contextOf(row))),
	)
}

function contextOf({ workspace_id: workspaceId, url, id }: Bound): SealContext {
	return { workspaceId, kind: 'forwarder_headers', origin: new URL(url).origin, id }
}

export type ForwarderDocument = OutputOf<(typeof forwarderOperations)['get']>
type State = ForwarderDocument['state'][number]

/** `cursors` may include those of other forwarders. */
export function presentForwarder(
	row: ForwarderRow,
	cursors: readonly CursorRow[],
	nowMs: number,
): ForwarderDocument {
	const own = cursors.filter(({ forwarder_id }) => forwarder_id === row.id)
	const inOrder = forwardedSignals.flatMap((signal) => own.filter((cursor) => cursor.signal === signal))
	return {
		id: row.id,
		name: row.name,
		kind: row.kind as ForwarderDocument['kind'],
		url: row.url,
		signals: inOrder.map(({ signal }) => signal as ForwardedSignal),
		filter: JSON.parse(row.filter),
		header_names: JSON.parse(row.header_names),
		enabled: row.enabled === 1,
		state: inOrder.map((cursor) => presentState(cursor, nowMs)),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

function presentState(cursor: CursorRow, nowMs: number): State {
	return {
		signal: cursor.signal as ForwardedSignal,
		position: cursor.signal === 'audit' ? cursor.position : toIso(Number(cursor.position.split(':')[0])),
		lag_s: lagOf(cursor, nowMs),
		sent: cursor.sent,
		refused: cursor.refused,
		last_refusal: cursor.last_refusal,
		sent_at: timeOrNull(cursor.sent_at),
		error: cursor.error,
		failing_since: timeOrNull(cursor.failing_since),
		next_attempt_at: timeOrNull(cursor.next_at),
	}
}

/** Even with nothing to send, an active cursor is a few seconds behind. */
const usualS = 10

/** Seconds since everything was sent; 0 if below the usual delay. */
export function lagOf({ settled_at }: Pick<CursorRow, 'settled_at'>, nowMs: number): number {
	const lagS = Math.max(0, nowMs - settled_at) / 1000
	return lagS < usualS ? 0 : Math.round(lagS)
}

function timeOrNull(ms: number | null): string | null {
	return ms === null ? null : toIso(ms)
}
