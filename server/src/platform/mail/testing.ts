import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
	from: string
	to: string[]
	/** The whole message as received, with headers; soft line breaks are removed. */
	text: string
}

export interface TestMailServer {
	/** For SIGNALBOX_SMTP_URL. */
	url: string
	received: ReceivedMail[]
	/** Refuses all further messages with this status, or accepts them again (null). */
	refuse(status: number | null): void
	/** Resolves with the next message, to anyone or to one person, that no earlier call returned. */
	next(to?: string): Promise<ReceivedMail>
	close(): Promise<void>
}

/** A real SMTP server on a free port of 127.0.0.1. */
export async function startMailServer(): Promise<TestMailServer> {
	const received: ReceivedMail[] = []
	let refusal: number | null = null
	const taken = new Set<ReceivedMail>()
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData: (stream, session, done) => {
			const chunks: Buffer[] = []
			stream.on('data', (chunk: Buffer) => chunks.push(chunk))
			stream.on('end', () => {
				if (refusal !== null) return done(Object.assign(new Error('refused'), { responseCode: refusal }))
				const { mailFrom, rcptTo } = session.envelope
				const from = mailFrom ? mailFrom.address : ''
				const to = rcptTo.map(({ address }) => address)
				received.push({ from, to, text: decode(Buffer.concat(chunks).toString('utf8')) })
				done()
			})
		},
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.server.address() as { port: number }
	return {
		url: `smtp://127.0.0.1:${port}`,
		received,
		refuse: (status) => {
			refusal = status
		},
		next: async (to) => {
			const find = () =>
				received.find((mail) => !taken.has(mail) && (to === undefined || mail.to.includes(to)))
			const deadline = performance.now() + 10_000
			while (!find() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
			const mail = find()
			if (!mail) throw new Error(`No further message${to ? ` to ${to}` : ''} came within 10 s.`)
			taken.add(mail)
			return mail
		},
		close: () => new Promise((resolve) => server.close(() => resolve())),
	}
}

/** Decodes quoted-printable, which wraps lines; otherwise the messages are plain text. */
function decode(text: string): string {
	return text
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
