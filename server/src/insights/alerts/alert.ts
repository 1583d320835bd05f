import type { AlertCondition, AlertFigure, AlertKind, AlertStatus } from '@signalbox/contract'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type AlertRow = ControlSchema['alerts']
export type TransitionRow = ControlSchema['alert_transitions']

/** The result of evaluating an alert. */
export interface Reading {
	status: AlertStatus
	value: number | null
	/** A sentence for people. */
	text: string
	/** The screen that shows the details, below `/ui`. */
	path: string
	/** What the alert fires for. A new subject is notified even if the alert is already firing. */
	subjects: readonly string[]
}

/** The settings of an alert that its evaluation needs. */
export interface AlertRule {
	id: string
	workspaceId: string
	kind: AlertKind
	savedViewId: string | null
	figure: AlertFigure | null
	condition: AlertCondition | null
	threshold: number | null
}

export function alertRuleOf(row: AlertRow): AlertRule {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		kind: row.kind as AlertKind,
		savedViewId: row.question_id,
		figure: row.figure as AlertFigure | null,
		condition: row.test as AlertCondition | null,
		threshold: row.threshold,
	}
}
