import { Type } from 'typebox'
import { operators } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const InstanceClock = Strict(
	{
		status: OneOf(['believed', 'doubted', 'unconfirmed'], {
			description:
				'`doubted`: nothing is deleted by age until `deletes_again_at`. `unconfirmed`: the clock is so far ahead that an operator must confirm it first',
		}),
		now: Time,
		deletes_as_of: { ...Time, description: 'The time from which ages are computed when data is deleted' },
		ahead_ms: Type.Integer({
			description: 'How far the clock is ahead of the plausible time; 0 while it is trusted',
		}),
		deletes_again_at: Nullable(Time),
	},
	{ title: 'InstanceClock' },
)

export const instanceClockOperations = {
	get: operation({
		id: 'instance.clock',
		method: 'GET',
		path: '/v1/instance/clock',
		summary: 'Get whether the clock of the machine is trusted, and which time deletions use',
		description:
			'The clock is compared with a monotonic clock, the last run and the newest rows. While it is doubted, telemetry, old sessions, keys and the like are not deleted by age. With several nodes, this is the clock of the node that answers.',
		access: operators(),
		status: 200,
		response: InstanceClock,
	}),
	confirm: operation({
		id: 'instance.confirm-clock',
		method: 'POST',
		path: '/v1/instance/clock/confirm',
		summary: 'Confirm that the clock is right although it jumped far ahead',
		description:
			'Deleting by age continues an hour after the jump, with the new time. 409 when the clock is not doubted.',
		access: operators(),
		status: 200,
		response: InstanceClock,
	}),
}
