import { Type } from 'typebox'
import { operators } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const InstanceClock = Strict(
	{
		status: OneOf(['believed', 'doubted', 'unconfirmed'], {
			description:
				'doubted: nothing is deleted by time until `deletes_again_at`. unconfirmed: the clock is so far ahead that an operator must confirm it first',
		}),
		now: Time,
		deletes_as_of: { ...Time, description: 'What is deleted by its age is as old as it is at this time' },
		ahead_ms: Type.Integer({
			description: 'How far the clock is ahead of what can be; 0 while it is believed',
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
		summary: 'Whether the clock of the machine is believed, and by which time things are deleted',
		description:
			'The clock is held against one that nobody sets, the last run and the newest rows. While it is doubted, telemetry, old sessions, keys and the like are not deleted by it. With several nodes this is the clock of the one that answers.',
		access: operators(),
		status: 200,
		response: InstanceClock,
	}),
	confirm: operation({
		id: 'instance.confirm-clock',
		method: 'POST',
		path: '/v1/instance/clock/confirm',
		summary: 'Confirm that the clock is right though it jumped far ahead',
		description:
			'Deleting by time goes on an hour after the jump, with the new time. 409 when the clock is not doubted.',
		access: operators(),
		status: 200,
		response: InstanceClock,
	}),
}
