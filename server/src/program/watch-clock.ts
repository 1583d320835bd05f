import { join } from 'node:path'
import { instanceClockOperations, type OutputOf } from '@signalbox/contract'
import { type Audit, actorOf, newestRecordMs } from '../accounts/audit/audit.ts'
import { listOperators } from '../accounts/identity/identity.ts'
import type { Config } from '../config/config.ts'
import type { Stores } from '../operate/stores/stores.ts'
import { toIso } from '../platform/clock.ts'
import { ClockWatch } from '../platform/clock-watch.ts'
import { Problem } from '../platform/errors.ts'
import type { Figure } from '../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../platform/http/operations.ts'
import { userIn } from '../platform/http/route.ts'
import type { Log } from '../platform/log.ts'
import { createSmtpTransport } from '../platform/mail/mailer.ts'
import type { Mutate } from '../platform/mutation.ts'
import { newestDayMs } from '../telemetry/index.ts'

interface WatchedStores {
	config: Config
	stores: Pick<Stores, 'control' | 'telemetry'>
	log: Log
	/** Workers follow the decisions of the primary. */
	isWorker: boolean
}

const checkEveryMs = 30_000

/** The clock of the program, used for all deletion by time; see `ClockWatch`. */
export async function watchClock(
	watched: WatchedStores,
): Promise<{ clock: ClockWatch; close(): void; figures: readonly Figure[] }> {
	const { config, log, stores, isWorker } = watched
	const newestRowMs = isWorker ? null : await newestRow(stores, log)
	const clock = new ClockWatch({
		file: join(config.dataDir, 'clock.json'),
		readOnly: isWorker,
		newestRowMs,
		onChange: (state, text) => {
			if (!state.doubted) return log.warn({ ahead_ms: state.aheadMs }, text)
			const seen = { ahead_ms: state.aheadMs, believed: toIso(state.trustedMs) }
			if (state.needsPerson) log.error(seen, text)
			else log.warn(seen, text)
			if (state.needsPerson && !isWorker) void mailOperators(watched, text)
		},
	})
	clock.save()
	const timer = setInterval(() => {
		clock.check()
		clock.save()
	}, checkEveryMs).unref()
	const figures = [
		{
			name: 'signalbox_clock_doubted',
			help: '1 while the clock is ahead of what can be and nothing is deleted by it',
			read: () => Number(clock.state.doubted),
		},
	]
	return { clock, close: () => clearInterval(timer), figures }
}

/** A store that does not respond now must not prevent a start. */
async function newestRow({ control, telemetry }: WatchedStores['stores'], log: Log): Promise<number | null> {
	try {
		const [record, day] = [await newestRecordMs(control.db), await newestDayMs(telemetry)]
		return record === null || day === null ? (record ?? day) : Math.max(record, day)
	} catch (error) {
		log.warn({ err: error }, 'the newest rows could not be read to compare the clock with')
		return null
	}
}

/** Only operators can confirm the clock. Without a mail server they learn of it from the log, /readyz?verbose and /metrics. */
async function mailOperators({ config, stores, log }: WatchedStores, text: string): Promise<void> {
	const { SMTP_URL, MAIL_FROM, PUBLIC_URL } = config
	if (!SMTP_URL || !MAIL_FROM) return
	try {
		const mail = createSmtpTransport(SMTP_URL, MAIL_FROM)
		for (const { email } of await listOperators(stores.control.db, { page: 1, limit: 100, order: 'asc' }))
			await mail.send({
				to: email,
				subject: 'The clock of Signalbox is doubted',
				text: `${PUBLIC_URL ?? 'Your instance of Signalbox'}: ${text}.\n`,
			})
	} catch (error) {
		log.warn({ err: error }, 'operators could not be notified by e-mail that the clock is doubted')
	}
}

/** How operators see the state of the clock and confirm it. */
export function clockOperations({
	clock,
	mutate,
	audit,
}: {
	clock: ClockWatch
	mutate: Mutate
	audit: Audit
}): {
	operations: BoundOperation[]
} {
	const operations = bind(instanceClockOperations, {
		get: () => present(clock),
		confirm: async ({ context }) => {
			const { doubted, aheadMs } = clock.state
			if (!doubted) throw new Problem('conflict', 'The clock is not doubted; there is nothing to confirm.')
			const principal = userIn(context)
			await mutate((tx) =>
				audit.record(tx, {
					workspaceId: principal.workspaceId,
					actor: actorOf(principal),
					action: 'instance.confirm-clock',
					target: null,
					detail: { ahead_ms: aheadMs },
					requestId: context.requestId,
				}),
			)
			clock.confirm()
			return present(clock)
		},
	})
	return { operations }
}

function present(clock: ClockWatch): OutputOf<(typeof instanceClockOperations)['get']> {
	const { doubted, needsPerson, confirmed, aheadMs, resumesMs } = clock.state
	return {
		status: !doubted ? 'believed' : needsPerson && !confirmed ? 'unconfirmed' : 'doubted',
		now: toIso(clock.nowMs()),
		deletes_as_of: toIso(clock.deletionMs()),
		ahead_ms: Math.round(aheadMs),
		deletes_again_at: resumesMs === null ? null : toIso(resumesMs),
	}
}
