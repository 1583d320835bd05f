import type { AlertKind } from '@signalbox/contract'
import { newId } from '../../platform/ids.ts'
import type { AlertRow } from './alert.ts'

type BuiltInKind = Exclude<AlertKind, 'question'>
type Settings = Pick<AlertRow, 'name' | 'threshold' | 'for_s' | 'interval_s' | 'path'>

/** The alerts that every workspace has from its creation; docs/alerts.md says what each means. */
const builtIns: Record<BuiltInKind, Settings> = {
	server_down: { name: 'Server down', threshold: null, for_s: 0, interval_s: 60, path: '/servers' },
	definition_changed: {
		name: 'Definition changed',
		threshold: null,
		for_s: 0,
		interval_s: 60,
		path: '/servers',
	},
	error_spike: { name: 'Error spike', threshold: 3, for_s: 0, interval_s: 60, path: '/spotlight' },
	spend_spike: { name: 'Spend anomaly', threshold: 2, for_s: 0, interval_s: 300, path: '/spotlight' },
	agent_loop: { name: 'Agent looping', threshold: 10, for_s: 0, interval_s: 60, path: '/spotlight' },
}

export const builtInKinds: readonly string[] = Object.keys(builtIns)

/** Whether an alert of this kind has a threshold that people can change. */
export function hasThreshold(kind: string): boolean {
	return kind in builtIns && builtIns[kind as BuiltInKind].threshold !== null
}

/** The built-in alerts of a workspace, first evaluated an interval after they are created. */
export function builtInRows(workspaceId: string, nowMs: number): AlertRow[] {
	return Object.entries(builtIns).map(([kind, settings]) => newRow(workspaceId, { kind, ...settings }, nowMs))
}

/** An alert that has not been evaluated yet. */
export function newRow(
	workspaceId: string,
	settings: Pick<AlertRow, 'kind' | 'name' | 'for_s' | 'interval_s' | 'path' | 'threshold'> &
		Partial<AlertRow>,
	nowMs: number,
): AlertRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		question_id: null,
		figure: null,
		test: null,
		emails: '[]',
		enabled: 1,
		muted_until: null,
		status: 'no_data',
		status_since: nowMs,
		pending: null,
		pending_since: null,
		value: null,
		reason: 'Not evaluated yet.',
		notified_status: 'resolved',
		notified_subjects: '[]',
		mail: null,
		evaluated_at: null,
		due_at: nowMs + settings.interval_s * 1000,
		created_at: nowMs,
		updated_at: nowMs,
		...settings,
	}
}
