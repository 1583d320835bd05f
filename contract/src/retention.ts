import { Type } from 'typebox'
import { people } from './access.ts'
import { Nullable, Strict } from './common.ts'
import { retentionClasses } from './constants.ts'
import { operation } from './operation.ts'

/** The signals that have a retention of their own. */
export const retainedSignals = ['traces', 'logs', 'metrics'] as const
export type RetainedSignal = (typeof retainedSignals)[number]

const days = (description: string) =>
	Nullable(
		Type.Unsafe<(typeof retentionClasses)[number]>(
			Type.Integer({ enum: [...retentionClasses], description }),
		),
	)
const fields = {
	traces_days: days('Spans, including the calls that Signalbox records; null: the default of the instance'),
	logs_days: days('Log records; null: the default of the instance'),
	metrics_days: days('Data points; null: the default of the instance'),
}
const instance = Type.Integer({ description: '`SIGNALBOX_RETENTION_DAYS`' })

export const Retention = Strict({ ...fields, instance_days: instance }, { title: 'Retention' })

export const retentionOperations = {
	get: operation({
		id: 'retention.get',
		method: 'GET',
		path: '/v1/retention',
		summary: 'Get how long the telemetry of the workspace is kept',
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
			'Stored telemetry keeps its retention. Telemetry that arrives older than the new retention is rejected.',
		access: people('recording:write'),
		body: Strict({ ...fields, instance_days: Type.Optional(instance) }),
		status: 200,
		response: Retention,
	}),
}
