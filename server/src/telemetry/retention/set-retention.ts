import {
	type BodyOf,
	type OutputOf,
	type RetainedSignal,
	retainedSignals,
	retentionClasses,
	type retentionOperations,
} from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { listRetention, type RetentionRow, replaceRetention } from './repository.ts'

export type RetentionDocument = OutputOf<(typeof retentionOperations)['get']>
type Wanted = BodyOf<(typeof retentionOperations)['replace']>

export interface RetentionContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	instanceDays: number
}

export function presentRetention(rows: readonly RetentionRow[], instanceDays: number): RetentionDocument {
	const daysOf = (signal: RetainedSignal) =>
		(rows.find((row) => row.signal === signal)?.days ?? null) as RetentionDocument['traces_days']
	return {
		traces_days: daysOf('traces'),
		logs_days: daysOf('logs'),
		metrics_days: daysOf('metrics'),
		instance_days: instanceDays,
	}
}

/** Sets how long what arrives from now on is kept. */
export async function setRetention(
	{ mutate, audit, clock, instanceDays }: RetentionContext,
	request: RequestContext,
	wanted: Wanted,
): Promise<RetentionDocument> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return mutate(async (tx) => {
		const before = presentRetention(await listRetention(tx, workspaceId), instanceDays)
		requireUnchanged(before)
		refuseChanged(wanted, before, ['instance_days'])
		const rows = rowsOf(workspaceId, wanted, clock)
		await replaceRetention(tx, workspaceId, rows)
		const retention = presentRetention(rows, instanceDays)
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'retention.replace',
			target: null,
			detail: { before, after: retention },
			requestId: request.requestId,
		})
		await appendChange(tx, 'retention', workspaceId, clock)
		return retention
	})
}

/** A workspace keeps all that it gets as long as any can, whatever the instance says: for what is made, not observed. */
export async function keepLongest(tx: DatabaseTransaction, clock: Clock, workspaceId: string): Promise<void> {
	const days = Math.max(...retentionClasses) as (typeof retentionClasses)[number]
	const wanted = { traces_days: days, logs_days: days, metrics_days: days }
	await replaceRetention(tx, workspaceId, rowsOf(workspaceId, wanted, clock))
	await appendChange(tx, 'retention', workspaceId, clock)
}

function rowsOf(workspaceId: string, wanted: Wanted, clock: Clock): RetentionRow[] {
	return retainedSignals.flatMap((signal) => {
		const days = wanted[`${signal}_days`]
		return days === null ? [] : [{ workspace_id: workspaceId, signal, days, updated_at: clock.nowMs() }]
	})
}
