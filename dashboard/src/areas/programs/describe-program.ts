import { formatBytes, formatDateTime } from '../../lib/format.ts'
import type { Tone } from '../../ui/status.tsx'
import type { Program } from './queries.ts'

export interface Described {
	tone: Tone
	title: string
	text: string
}

/** The state of a program in words; `status` is that of its server. */
export function describeState(status: string, program: Program): Described {
	if (status === 'inactive')
		return { tone: 'idle', title: 'switched off', text: 'Calls are refused until it is started.' }
	if (status === 'deploying')
		return {
			tone: 'accent',
			title: 'installing',
			text: 'Its package is downloaded from the npm registry. No package scripts run.',
		}
	if (status === 'error')
		return {
			tone: 'bad',
			title: 'not installed',
			text: program.install_error ?? 'Its package could not be installed.',
		}
	if (needsAcceptance(program))
		return {
			tone: program.sandbox === 'none' ? 'bad' : 'warn',
			title: 'may not start',
			text:
				program.sandbox === 'none'
					? 'There is no sandbox here, and no owner has accepted that it runs without one as it is now.'
					: 'Nobody has accepted the program as it is now: its command, arguments, environment and package.',
		}
	return describeRun(program)
}

function describeRun({ state, processes, failures, last_end, next_start_at }: Program): Described {
	if (state === 'running') {
		const count = processes.length
		return { tone: 'ok', title: 'running', text: `${count} ${count === 1 ? 'process' : 'processes'}` }
	}
	if (state === 'waiting')
		return {
			tone: 'warn',
			title: 'waits',
			text: `It ${last_end ?? 'ended'}, ${failures === 1 ? 'once' : `${failures} times in a row`}. It may start again at ${next_start_at ? formatDateTime(next_start_at) : 'any time'}.`,
		}
	return {
		tone: 'idle',
		title: 'rests',
		text: `It starts with the next request.${last_end ? ` Before that it ${last_end}.` : ''}`,
	}
}

export function needsAcceptance({ sandbox, accepted, accepted_without_sandbox }: Program): boolean {
	return (sandbox === 'none' ? accepted_without_sandbox : accepted) === null
}

/** Its isolation from the rest of the machine, in words. */
export function describeSandbox(program: Program): Described {
	const { sandbox, sandbox_missing, accepted_without_sandbox: accepted } = program
	if (sandbox !== 'none')
		return {
			tone: 'ok',
			title: 'in a sandbox',
			text: 'It sees the system and its package read-only, and a home of its own. Not the data of Signalbox, not other programs, and no network but the hosts that are allowed.',
		}
	if (accepted)
		return {
			tone: 'warn',
			title: 'without a sandbox',
			text: 'It can do anything that Signalbox can do on this machine, including reading the data directory.',
		}
	return {
		tone: 'bad',
		title: 'no sandbox here',
		text: `This machine offers none: ${sandbox_missing ?? 'unknown'}. The program does not start until an owner accepts that it runs without one.`,
	}
}

/** Its limits in words: `1.0 GiB of memory, 256 processes; ended after 5 min without a request`. */
export function describeLimits({ memory_bytes, processes, idle_ms }: Program['limits']): string {
	const idle = idle_ms < 60_000 ? `${Math.round(idle_ms / 1000)} s` : `${Math.round(idle_ms / 60_000)} min`
	return `${formatBytes(memory_bytes)} of memory, ${processes} processes; ended after ${idle} without a request`
}
