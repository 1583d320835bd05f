import { tokenPrefixes } from '@signalbox/contract'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { createSealer } from '../../../platform/crypto/seal.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { createMailer, createSmtpTransport, type Mailer } from '../../../platform/mail/mailer.ts'
import { startMailServer, type TestMailServer } from '../../../platform/mail/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'
import { createLinkKeeper, deleteMailLinkOf } from './mail-links.ts'

describeOnBothDatabases('links by mail', (store) => {
	const sealer = createSealer(Buffer.alloc(32, 7))
	const clock = manualClock(systemClock.nowMs())
	const lines: string[] = []
	const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
	let server: TestMailServer
	let app: TestApp
	let mailer: Mailer
	beforeAll(async () => {
		server = await startMailServer()
		app = await startTestApp(store(), { clock, masterKey: Buffer.alloc(32, 7) })
	})
	afterAll(async () => {
		await app.close()
		await server.close()
	})
	afterEach(async () => {
		await mailer.close()
		lines.length = 0
	})

	const open = (url: string | null, retryAfterMs: number[] = []) => {
		const transport = url ? createSmtpTransport(url, 'Signalbox <box@example.org>') : null
		mailer = createMailer({
			transport,
			links: createLinkKeeper({ store: store(), sealer, clock }),
			log,
			retryAfterMs,
		})
		return mailer
	}
	const messageWith = (secret: string) => {
		const link = `https://signalbox.example/ui/reset#token=${secret}`
		return { to: 'ann@example.org', subject: 'Reset your password', text: `Open ${link}`, link }
	}
	const listed = async () =>
		(await app.request('GET', '/v1/mail-links', { token: app.owner.token })).body.mail_links as {
			link: string
		}[]

	it('arrive at a real mail server with sender, subject and link, and are then deleted', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		await open(server.url).send(messageWith(secret))
		const mail = await server.next()
		expect([mail.from, mail.to]).toEqual(['box@example.org', ['ann@example.org']])
		expect(mail.text).toContain('From: Signalbox <box@example.org>')
		expect(mail.text).toContain('To: ann@example.org')
		expect(mail.text).toContain('Subject: Reset your password')
		expect(mail.text).toContain(`https://signalbox.example/ui/reset#token=${secret}`)
		await mailer.close()
		expect((await listed()).filter(({ link }) => link.includes(secret))).toEqual([])
	})

	it('without a mail server are logged in one line, and shown to operators until used or expired', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		const message = { ...messageWith(secret), expiresAtMs: clock.nowMs() + 60_000 }
		await open(null).send(message)
		expect(lines).toHaveLength(1)
		expect(JSON.parse(lines[0] ?? '')).toMatchObject({
			level: 40,
			link: message.link,
			msg: 'no mail server is set; pass this link on to ann@example.org: Reset your password',
		})
		expect((await listed())[0]).toEqual({
			id: expect.any(String),
			to: 'ann@example.org',
			subject: 'Reset your password',
			link: message.link,
			created_at: expect.stringMatching(/Z$/),
			expires_at: expect.stringMatching(/Z$/),
		})
		const other = newToken(tokenPrefixes.passwordReset)
		await mailer.send(messageWith(other))
		await store()
			.db.transaction()
			.execute((tx) => deleteMailLinkOf(tx, hashToken(other)))
		expect((await listed()).map(({ link }) => link)).toEqual([message.link])
		clock.advance(60_000)
		await app.feed.catchUp()
		expect(await listed()).toEqual([])
	})

	it('are stored sealed in the control store', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		await open(null).send(messageWith(secret))
		const rows = await store().db.selectFrom('mail_links').selectAll().execute()
		expect(rows.length).toBeGreaterThan(0)
		expect(JSON.stringify(rows)).not.toContain(secret)
	})

	it('are shown to operators only', async () => {
		const member = await app.memberOf('admin')
		const answer = await app.request('GET', '/v1/mail-links', { token: member.token })
		expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
	})

	it('wait for an operator when the mail server refuses, which no caller notices', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		server.refuse(550)
		await open(server.url).send(messageWith(secret))
		await expect.poll(() => lines.length).toBe(1)
		expect(JSON.parse(lines[0] ?? '').msg).toContain('mail could not be sent')
		expect(lines[0]).not.toContain(secret)
		expect((await listed()).some(({ link }) => link.includes(secret))).toBe(true)
		server.refuse(null)
	})

	it('are delivered by a retry when the mail server is back', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		server.refuse(451)
		await open(server.url, [100, 100, 100, 100]).send(messageWith(secret))
		await expect.poll(() => lines.length).toBeGreaterThan(0)
		server.refuse(null)
		expect((await server.next()).text).toContain(secret)
		await mailer.close()
		expect((await listed()).some(({ link }) => link.includes(secret))).toBe(false)
	})

	it('wait for an operator when no mail server listens at the configured URL', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		await open('smtp://127.0.0.1:1').send(messageWith(secret))
		await expect.poll(() => lines.length).toBe(1)
		expect((await listed()).some(({ link }) => link.includes(secret))).toBe(true)
	})

	it('go to a single address, whatever it looks like', async () => {
		const secret = newToken(tokenPrefixes.passwordReset)
		await open(server.url).send({ ...messageWith(secret), to: 'a,b@example.org' })
		expect((await server.next()).to).toEqual(['"a,b"@example.org'])
	})
})
