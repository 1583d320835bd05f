import { Type } from 'typebox'
import { people } from './access.ts'
import { Nullable, Strict } from './common.ts'
import { retentionClasses } from './constants.ts'
import { operation } from './operation.ts'

/** What a retention is set for. */
export const retainedSignals = ['traces', 'logs', 'metrics'] as const
export type RetainedSignal = (typeof retainedSignals)[number]

const days = (description: string) =>
	Nullable(
		Type.Unsafe<(typeof retentionClasses)[number]>(
			Type.Integer({ enum: [...retentionClasses], description }),
		),
	)
const fields = {
	traces_days: days('Spans, and the calls that Signalbox records; null: as the instance says'),
	logs_days: days('Log records; null: as the instance says'),
	metrics_days: days('Data points; null: as the instance says'),
}
const instance = Type.Integer({ description: '`SIGNALBOX_RETENTION_DAYS`' })

export const Retention = Strict({ ...fields, instance_days: instance }, { title: 'Retention' })

export const retentionOperations = {
	get: operation({
		id: 'retention.get',
		method: 'GET',
		path: '/v1/retention',
		summary: 'How long the telemetry of the workspace is kept',
		access: people(),
		status: 200,
		response: Retention,
	}),
	replace: operation({
		id: 'retention.replace',
		method: 'PUT',
		path: '/v1/retention',
		summary: 'Set how long newly arriving telemetry of the workspace is kept',
		description:
			'Stored telemetry keeps its retention. Arriving telemetry that is older than the new retention is rejected.',
		access: people('recording:write'),
		body: Strict({ ...fields, instance_days: Type.Optional(instance) }),
		status: 200,
		response: Retention,
	}),
}
