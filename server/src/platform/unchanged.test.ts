import { expect, it } from 'vitest'
import { refuseChanged } from './unchanged.ts'

const current = {
	created_at: '2026-11-29T03:10:31.951Z',
	state: [{ sent_at: '2026-11-29T03:10:31.951Z', error: null }],
	note: 'n',
}
const refuse = (body: object) => () => refuseChanged(body, current, ['created_at', 'state', 'note'])

it('read-only fields may come back as they were returned, or with times as generated clients write them', () => {
	expect(refuse(current)).not.toThrow()
	for (const time of ['2026-11-29T03:10:31.951000+00:00', '2026-11-29T04:10:31.951+01:00']) {
		expect(refuse({ created_at: time })).not.toThrow()
		expect(refuse({ state: [{ sent_at: time, error: null }] })).not.toThrow()
	}
})

const moved = { state: 'running', used_at: '2026-11-29T03:10:31.951Z', ended_at: null, warnings: ['new'] }
const send = (body: object) => () => refuseChanged(body, moved, Object.keys(moved), Object.keys(moved))

it('fields that change by themselves may come back as they were earlier', () => {
	expect(send({ state: 'starting', warnings: [] })).not.toThrow()
	expect(send({ used_at: null })).not.toThrow()
	expect(send({ used_at: '2026-11-29T03:10:31.950Z' })).not.toThrow()
	expect(send({ ended_at: '2026-11-29T03:10:31.951Z' })).not.toThrow()
	expect(send({ used_at: '2026-11-29T03:10:31.952Z' })).toThrow(/used_at/)
})

it.each([
	[{ created_at: '2026-11-29T03:10:31.952Z' }, '/created_at'],
	[{ created_at: '2026-11-29T03:10:31.951+01:00' }, '/created_at'],
	[{ created_at: '2026-13-29T03:10:31.951Z' }, '/created_at'],
	[{ created_at: null }, '/created_at'],
	[{ state: [{ sent_at: '2026-11-29T03:10:31.951000Z', error: '' }] }, '/state'],
	[{ note: 'm' }, '/note'],
])('%j is a change', (body, pointer) => {
	expect(refuse(body)).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }))
})
