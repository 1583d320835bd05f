import type { AlertStatus, alertOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { type AlertRow, alertRuleOf, type TransitionRow } from './alert.ts'
import type { AlertContext } from './alert-context.ts'

export type AlertDocument = OutputOf<(typeof alertOperations)['get']>
type TransitionDocument = OutputOf<(typeof alertOperations)['history']>['transitions'][number]

/** An alert in the form of the API; `urlOf` builds the address of a screen. */
export function presentAlert(row: AlertRow, urlOf: AlertContext['urlOf']): AlertDocument {
	const { kind, savedViewId, figure, condition, threshold } = alertRuleOf(row)
	return {
		id: row.id,
		kind,
		name: row.name,
		question_id: savedViewId,
		figure,
		condition,
		threshold,
		for_s: row.for_s,
		interval_s: row.interval_s,
		emails: JSON.parse(row.emails) as string[],
		enabled: row.enabled === 1,
		muted_until: row.muted_until === null ? null : toIso(row.muted_until),
		state: {
			status: row.status as AlertStatus,
			since: toIso(row.status_since),
			value: row.value,
			text: row.reason,
			url: urlOf(row.workspace_id, row.path),
			evaluated_at: row.evaluated_at === null ? null : toIso(row.evaluated_at),
			mail: row.mail as AlertDocument['state']['mail'],
		},
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

export function presentTransition(row: TransitionRow): TransitionDocument {
	return {
		id: row.id,
		at: toIso(row.at),
		from: row.from_status as AlertStatus,
		to: row.to_status as AlertStatus,
		value: row.value,
		text: row.reason,
		notified_status: row.notified_status as TransitionDocument['notified_status'],
	}
}
