import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../accounts/identity/testing.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { openRedactionRules, type RedactionView } from './redaction-rules.ts'

describeOnBothDatabases('redaction rules', (store) => {
	let app: TestApp
	let view: RedactionView
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) => {
				const opened = openRedactionRules(core)
				view = opened.view
				return { operations: opened.operations }
			},
		})
	})
	afterAll(() => app.close())

	const path = '/v1/redaction-rules'
	const staff = {
		name: 'Staff',
		pattern: 'EMP-[0-9]{6}',
		label: 'staff',
		applies_to: ['content', 'log_bodies'],
	}
	const api = (method: string, at: string, body?: object, token = app.owner.token) =>
		app.request(method, at, { token, ...(body && { body }) })
	const labelsOf = (workspaceId: string) => view.rulesOf(workspaceId)?.rules.map(({ label }) => label)

	it('are created, listed, changed and deleted, and take effect at once for their workspace only', async () => {
		const person = await app.register()
		const made = await api('POST', path, staff, person.token)
		expect([made.status, made.body]).toEqual([
			201,
			{ ...staff, attribute_keys: [], ingest_token_id: null, ...idAndTimes },
		])
		const at = `${path}/${made.body.id}`
		expect((await api('GET', at, undefined, person.token)).body).toEqual(made.body)
		for (const [method, body] of [['GET'], ['PATCH', { label: 'x' }], ['DELETE']] as const)
			expect((await api(method, at, body)).status).toBe(404)
		expect((await api('GET', path, undefined, person.token)).body).toEqual({
			redaction_rules: [made.body],
			pagination: { page: 1, limit: 20, total: 1, total_pages: 1 },
		})
		expect(labelsOf(person.workspaceId)).toEqual(['staff'])
		expect(labelsOf(app.owner.workspaceId)).toBeUndefined()
		const changed = await api('PATCH', at, { ...made.body, label: 'member' }, person.token)
		expect([changed.status, changed.body.label]).toEqual([200, 'member'])
		expect(labelsOf(person.workspaceId)).toEqual(['member'])
		expect((await api('PATCH', at, { id: 'x' }, person.token)).status).toBe(400)
		expect((await api('DELETE', at, undefined, person.token)).status).toBe(204)
		expect(labelsOf(person.workspaceId)).toBeUndefined()
		expect((await api('GET', at, undefined, person.token)).status).toBe(404)
	})

	it('may apply only to what one ingest token sends', async () => {
		const person = await app.register()
		const make = (body: object) => api('POST', path, { ...staff, ...body }, person.token)
		const token = (await api('POST', '/v1/ingest-tokens', { name: 't' }, person.token)).body.id as string
		const foreign = (await api('POST', '/v1/ingest-tokens', { name: 'other' })).body.id as string
		expect((await make({ ingest_token_id: foreign })).body.detail).toContain('is no ingest token of this')
		const made = await make({ ingest_token_id: token })
		expect([made.status, made.body.ingest_token_id]).toEqual([201, token])
		const labels = (id?: string) => view.rulesOf(person.workspaceId, id)?.rules.map(({ label }) => label)
		expect([labels(), labels('other'), labels(token)]).toEqual([undefined, undefined, ['staff']])
		await make({ name: 'For all', label: 'all' })
		expect([labels(), labels('other'), labels(token)]).toEqual([['all'], ['all'], ['staff', 'all']])
		await api('PATCH', `${path}/${made.body.id}`, { ingest_token_id: null }, person.token)
		expect(labels('other')).toEqual(['staff', 'all'])
	})

	it.each([
		[
			{ pattern: '(' },
			'body/pattern: is not a pattern of RE2: error parsing regexp: missing closing ): `(`.',
		],
		[{ pattern: '(?=x)' }, 'unsupported Perl syntax'],
		[{ pattern: 'a*' }, 'body/pattern: matches an empty text, so it would match everywhere.'],
		[{ pattern: 'x'.repeat(501) }, 'body/pattern'],
		[{ label: 'Not a label' }, 'body/label'],
		[{ applies_to: [] }, 'body/applies_to'],
		[{ applies_to: ['attributes'] }, 'body/attribute_keys: are for'],
		[{ attribute_keys: ['user.id'] }, 'body/attribute_keys: are for'],
		[{ flags: 'i' }, 'flags'],
	])('refuse %j with a reason', async (wrong, detail) => {
		const refused = await api('POST', path, { ...staff, ...wrong })
		expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
		expect(refused.body.detail).toContain(detail)
	})

	it('have unique names, and are limited to 20', async () => {
		const person = await app.register()
		const make = (name: string) => api('POST', path, { ...staff, name }, person.token)
		const ids = []
		for (let n = 1; n <= 20; n += 1) ids.push((await make(`rule ${n}`)).body.id)
		expect((await make('one more')).body.code).toBe('conflict')
		await api('DELETE', `${path}/${ids[0]}`, undefined, person.token)
		expect((await make('rule 2')).body.code).toBe('name_taken')
		const renamed = await api('PATCH', `${path}/${ids[2]}`, { name: 'rule 2' }, person.token)
		expect(renamed.body.code).toBe('name_taken')
	})

	it('can be tested before they are saved: one alone, or all rules for content', async () => {
		const person = await app.register()
		const attempt = async (body: object) => (await api('POST', `${path}/try`, body, person.token)).body
		const text = 'EMP-123456 a@b.io'
		const alone = { text, pattern: staff.pattern, label: 'staff' }
		expect(await attempt(alone)).toEqual({ text: '[redacted:staff] a@b.io', found: ['staff'] })
		expect(await attempt({ text })).toEqual({ text: 'EMP-123456 [redacted:email]', found: ['email'] })
		await api('POST', path, staff, person.token)
		expect(await attempt({ text })).toEqual({
			text: '[redacted:staff] [redacted:email]',
			found: ['email', 'staff'],
		})
		expect(await attempt({ ...alone, pattern: '(' })).toMatchObject({ status: 400 })
		expect(await attempt({ text, label: 'staff' })).toMatchObject({ status: 400 })
	})

	it('can be managed by admins only, and every change is in the audit log', async () => {
		const member = await app.memberOf('member')
		for (const [method, at] of [
			['GET', path],
			['POST', path],
			['POST', `${path}/try`],
		] as const)
			expect((await api(method, at, method === 'POST' ? staff : undefined, member.token)).status).toBe(403)
		const { body } = await api('POST', path, { ...staff, name: 'Audited' })
		await api('DELETE', `${path}/${body.id}`)
		const { audit } = (await api('GET', '/v1/audit?limit=2&action=redaction-rules.*')).body
		expect(audit.map(({ action }: { action: string }) => action)).toEqual([
			'redaction-rules.delete',
			'redaction-rules.create',
		])
		expect(audit[1].detail).toMatchObject({ pattern: staff.pattern, label: 'staff' })
	})
})

const idAndTimes = {
	id: expect.any(String),
	created_at: expect.any(String),
	updated_at: expect.any(String),
}
