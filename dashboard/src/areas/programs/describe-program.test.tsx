import { expect, test } from 'vitest'
import { describeLimits, describeSandbox, describeState } from './describe-program.ts'
import { parseArguments, parseHosts, parseVariables } from './program-texts.ts'
import type { Program } from './queries.ts'

const program: Program = {
	...{ state: 'stopped', processes: [], starts: 0, failures: 0, last_end: null, next_start_at: null },
	...{ sandbox: 'bubblewrap', sandbox_missing: null, package: null, install_error: null },
	limits: { memory_bytes: 1024 ** 3, processes: 256, idle_ms: 300_000 },
	fingerprint: 'f',
	acceptance_sentence: 'I accept.',
	accepted: { by: 'ada', at: '2026-11-21T10:00:00Z' },
	accepted_without_sandbox: null,
	allowed_hosts: [],
}

test('the status of its server takes precedence over the state of the program', () => {
	expect(describeState('inactive', { ...program, state: 'running' }).title).toBe('switched off')
	expect(describeState('deploying', program).title).toBe('installing')
	const failed = describeState('error', { ...program, install_error: 'No such package.' })
	expect(failed).toMatchObject({ tone: 'bad', text: 'No such package.' })
})

test('a program that waits says why and until when', () => {
	const waiting = { state: 'waiting', failures: 3, last_end: 'ended with code 1' } as const
	const { text } = describeState('active', { ...program, ...waiting, next_start_at: '2026-11-21T10:00:00Z' })
	expect(text).toContain('It ended with code 1, 3 times in a row. It may start again at')
})

test('it cannot start until somebody has accepted it; without a sandbox the acceptance must be typed', () => {
	expect(describeState('active', { ...program, accepted: null })).toMatchObject({
		...{ tone: 'warn', title: 'may not start' },
	})
	const bare = { ...program, sandbox: 'none', sandbox_missing: 'bwrap is not installed' } as const
	expect(describeState('active', bare).title).toBe('may not start')
	expect(describeSandbox(bare).text).toContain('bwrap is not installed')
	const accepted = { ...bare, accepted_without_sandbox: { by: 'ada', at: '2026-11-21T10:00:00Z' } }
	expect(describeState('active', accepted).title).toBe('rests')
	expect(describeSandbox(accepted)).toMatchObject({ tone: 'warn', title: 'without a sandbox' })
})

test('limits are shown in readable units', () => {
	expect(describeLimits(program.limits)).toBe(
		'1.0 GiB of memory, 256 processes; ended after 5 min without a request',
	)
})

test('hosts, variables and arguments are parsed line by line', () => {
	expect(parseHosts('api.example.com\n*.example.org:8443\n')).toEqual({
		hosts: ['api.example.com', '*.example.org:8443'],
	})
	expect(parseHosts('https://example.com')).toEqual({ wrong: 'https://example.com' })
	expect(parseVariables('A=1\nB=x=y\n')).toEqual({ A: '1', B: 'x=y' })
	expect(parseVariables('nothing')).toBeNull()
	expect(parseArguments('-y\n a b\n\n')).toEqual(['-y', ' a b'])
})
