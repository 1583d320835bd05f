import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
	from: string
	to: string[]
	/** The whole message as it arrived, headers and all, soft line breaks undone. */
	text: string
}

export interface TestMailServer {
	/** For SIGNALBOX_SMTP_URL. */
	url: string
	received: ReceivedMail[]
	/** From now on each message is refused with this status, or taken again (null). */
	refuse(status: number | null): void
	/** Resolves with the next message that has not been waited for. */
	next(): Promise<ReceivedMail>
	close(): Promise<void>
}

/** A real SMTP server on a free port of 127.0.0.1. */
export async function startMailServer(): Promise<TestMailServer> {
	const received: ReceivedMail[] = []
	let refusal: number | null = null
	let taken = 0
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
		next: async () => {
			taken += 1
			const deadline = performance.now() + 10_000
			while (received.length < taken && performance.now() < deadline)
				await new Promise((resolve) => setTimeout(resolve, 10))
			const mail = received[taken - 1]
			if (!mail) throw new Error(`No message ${taken} within 10 s; there are ${received.length}.`)
			return mail
		},
		close: () => new Promise((resolve) => server.close(() => resolve())),
	}
}

/** Quoted-printable keeps lines short; the rest of a message is plain text already. */
function decode(text: string): string {
	return text
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
