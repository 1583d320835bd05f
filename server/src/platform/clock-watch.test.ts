import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ClockReading, ClockWatch, describeClock } from './clock-watch.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const noon = Date.UTC(2026, 10, 22, 12)

let directory: string
let now: ClockReading
let reported: string[]
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'signalbox-clock-'))
	now = { wallMs: noon, steadyMs: 1000, boot: 'first', countsSleep: true }
	reported = []
})
afterEach(() => rmSync(directory, { recursive: true }))

const open = (newestRowMs: number | null = null) =>
	new ClockWatch({
		file: join(directory, 'clock.json'),
		newestRowMs,
		read: () => ({ ...now }),
		onChange: (_state, text) => reported.push(text),
	})
const pass = (ms: number) => {
	now = { ...now, wallMs: now.wallMs + ms, steadyMs: now.steadyMs + ms }
}
const jump = (ms: number) => {
	now = { ...now, wallMs: now.wallMs + ms }
}
/** A reboot, after the machine was off for a time that nobody measured. */
const reboot = (offMs: number) => {
	now = { ...now, wallMs: now.wallMs + offMs, steadyMs: 500, boot: `${now.boot}+` }
}

it('deletes by the system clock while it advances normally', () => {
	const clock = open()
	pass(10 * day)
	expect(clock.deletionMs()).toBe(now.wallMs)
	jump(-2 * minute)
	pass(minute)
	jump(2 * minute)
	expect([clock.deletionMs(), reported]).toEqual([now.wallMs, []])
})

it('after a large jump nothing is deleted, whichever method is called first; it is reported once, and over when the clock comes back', () => {
	const clock = open()
	jump(45 * day)
	for (let seconds = 0; seconds < 15; seconds += 1) {
		pass(1000)
		expect(clock.deletionMs()).toBe(now.wallMs - 45 * day)
	}
	expect(reported).toEqual([expect.stringMatching(/45 days ahead.*until an operator confirms it/)])
	expect(describeClock(clock.state)).toContain('until an operator confirms it')
	jump(-45 * day)
	expect([clock.deletionMs(), clock.state.doubted, reported.length]).toEqual([now.wallMs, false, 2])
})

it('a large jump waits for the confirmation of a person, and for its first hour in any case', () => {
	const clock = open()
	jump(45 * day)
	expect(clock.deletionMs()).toBe(now.wallMs - 45 * day)
	expect(clock.confirm()).toBe(true)
	pass(59 * minute)
	expect(clock.deletionMs()).toBe(now.wallMs - 45 * day)
	pass(2 * minute)
	expect([clock.deletionMs(), clock.state.doubted]).toEqual([now.wallMs, false])
	jump(45 * day)
	clock.check()
	pass(30 * day)
	expect(clock.deletionMs()).toBe(now.wallMs - 45 * day)
	expect(clock.confirm()).toBe(true)
	expect(clock.deletionMs()).toBe(now.wallMs)
	expect(clock.confirm()).toBe(false)
})

it('the confirmation of one jump does not hold for the next', () => {
	const clock = open()
	jump(45 * day)
	clock.confirm()
	jump(400 * day)
	pass(2 * hour)
	expect(clock.state).toMatchObject({ confirmed: false, needsPerson: true })
	pass(2 * hour)
	expect(clock.deletionMs()).toBe(now.wallMs - 445 * day)
})

it('a small jump is accepted after an hour', () => {
	const clock = open()
	jump(2 * hour)
	expect(clock.deletionMs()).toBe(now.wallMs - 2 * hour)
	pass(61 * minute)
	expect(clock.deletionMs()).toBe(now.wallMs)
})

it('a clock that was set back deletes nothing too early, and neither does its return', () => {
	const clock = open()
	jump(-45 * day)
	expect(clock.deletionMs()).toBe(now.wallMs)
	pass(10 * minute)
	jump(45 * day)
	expect([clock.deletionMs(), reported]).toEqual([now.wallMs, []])
})

it('a restart during a jump neither accepts it nor loses a confirmation', () => {
	const clock = open()
	jump(45 * day)
	clock.check()
	pass(minute)
	expect(open().deletionMs()).toBe(now.wallMs - 45 * day)
	open().confirm()
	pass(hour)
	expect(open().deletionMs()).toBe(now.wallMs)
})

it('a clock that jumped while the program was off is doubted too, by comparison with the uptime, the last run, or the newest rows', () => {
	open().save()
	pass(minute)
	jump(2 * day)
	expect(open().state).toMatchObject({ doubted: true, needsPerson: true })
	jump(-2 * day)
	open().save()
	reboot(2 * day)
	const restarted = open()
	expect(restarted.state).toMatchObject({ doubted: true, needsPerson: false })
	pass(61 * minute)
	expect(restarted.deletionMs()).toBe(now.wallMs)
	restarted.save()
	reboot(10 * day)
	expect(open().state).toMatchObject({ doubted: true, needsPerson: true })
	rmSync(join(directory, 'clock.json'))
	expect(open(now.wallMs - 10 * day).state).toMatchObject({ doubted: true, needsPerson: true })
	rmSync(join(directory, 'clock.json'), { force: true })
	expect(open(null).state).toMatchObject({ doubted: false })
})

it('a worker follows the decisions of the primary', () => {
	const primary = open()
	primary.save()
	const worker = new ClockWatch({
		...{ file: join(directory, 'clock.json'), newestRowMs: null, readOnly: true },
		...{ read: () => ({ ...now }), onChange: () => undefined },
	})
	jump(45 * day)
	expect(worker.deletionMs()).toBe(now.wallMs - 45 * day)
	primary.confirm()
	pass(61 * minute)
	primary.check()
	expect(worker.deletionMs()).toBe(now.wallMs)
})
