import type { AlertCondition, AlertFigure, AlertKind, AlertStatus } from '@signalbox/contract'
import type { ControlSchema } from '../../platform/database/index.ts'

export type AlertRow = ControlSchema['alerts']
export type TransitionRow = ControlSchema['alert_transitions']

/** What is the case when an alert is judged. */
export interface Reading {
	status: AlertStatus
	value: number | null
	/** A sentence for people. */
	text: string
	/** The screen where one sees it, below `/ui`. */
	path: string
	/** Of what it fires: something new among them is notified even if it fires already. */
	subjects: readonly string[]
}

/** The settings of an alert that its judging needs. */
export interface Watch {
	id: string
	workspaceId: string
	kind: AlertKind
	savedViewId: string | null
	figure: AlertFigure | null
	condition: AlertCondition | null
	threshold: number | null
}

export function watchOf(row: AlertRow): Watch {
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
