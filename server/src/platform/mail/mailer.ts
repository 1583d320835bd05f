import type { Transporter } from 'nodemailer'
import { isLoopbackAddress } from '../http/client-address.ts'
import type { Log } from '../log.ts'

/** A message to a person, in plain text. */
export interface MailMessage {
	to: string
	subject: string
	text: string
	/** The link in the message; its secret follows `#token=`. Without a mail server an operator passes the link on. */
	link?: string
	/** When the link expires; by default a week from now. */
	expiresAtMs?: number
}

export interface SmtpTransport {
	/** Resolves when the mail server has accepted the message. Throws if it refuses or does not respond within 20 s. */
	send(message: MailMessage): Promise<void>
	/** Resolves if the server responds and accepts the credentials; sends nothing. */
	verify(): Promise<void>
}

/** Sends by the mail server of an `smtp:` or `smtps:` URL; `from` is `name@host` or `Name <name@host>`. */
export function createSmtpTransport(url: string, from: string): SmtpTransport {
	let transporter: Promise<Transporter> | null = null
	return {
		verify: async () => {
			transporter ??= openTransporter(new URL(url))
			await (await transporter).verify()
		},
		send: async ({ to, subject, text }) => {
			transporter ??= openTransporter(new URL(url))
			// An object is taken as one address, even if it contains commas.
			await (await transporter).sendMail({ from, to: { name: '', address: to }, subject, text })
		},
	}
}

/** The package is loaded for the first message: most instances send none for days. */
async function openTransporter(url: URL): Promise<Transporter> {
	const { createTransport } = await import('nodemailer')
	const secure = url.protocol === 'smtps:'
	const host = url.hostname.replace(/^\[|\]$/g, '')
	const isLocal = host === 'localhost' || isLoopbackAddress(host)
	return createTransport({
		host,
		port: url.port ? Number(url.port) : secure ? 465 : 587,
		secure,
		// A password must never be sent in plain text over the network.
		requireTLS: url.username !== '' && !isLocal,
		...(url.username && {
			auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
		}),
		connectionTimeout: 10_000,
		greetingTimeout: 10_000,
		socketTimeout: 20_000,
		disableFileAccess: true,
		disableUrlAccess: true,
	}) as unknown as Transporter
}

/**
 * Sends mail to people. `send` never throws and never waits for the mail server: it resolves when the link is stored, and delivery
 * continues in the background.
 */
export interface Mailer {
	/** Whether a mail server is configured. */
	readonly configured: boolean
	send(message: MailMessage): Promise<void>
	/** Resolves when no delivery is running; deliveries that wait for a retry are ended. */
	close(): Promise<void>
}

/** Stores links until they are delivered. */
export interface LinkKeeper {
	keep(message: MailMessage & { link: string }): Promise<string>
	forget(id: string): Promise<void>
}

interface MailerParts {
	/** Null without a mail server. */
	transport: SmtpTransport | null
	links: LinkKeeper
	log: Log
	/** Delays before the retries of a failed delivery. */
	retryAfterMs?: readonly number[]
}

/** A link is stored before the first attempt and deleted after delivery, so neither a failure nor a crash loses it. */
export function createMailer({ transport, links, log, retryAfterMs = [5000, 60_000] }: MailerParts): Mailer {
	const running = new Set<Promise<void>>()
	const ending = new AbortController()
	const deliver = async (message: MailMessage, keptId: string | null) => {
		const sent = await tryToSend(transport as SmtpTransport, message, {
			log,
			retryAfterMs,
			end: ending.signal,
		})
		if (sent && keptId !== null) await links.forget(keptId)
	}
	return {
		configured: transport !== null,
		send: async (message) => {
			const keptId = await keepLink(links, message, log)
			if (!transport) return announce(message, log)
			const delivery = deliver(message, keptId)
				.catch((error: unknown) => log.error({ err: error }, 'mail: a delivered link could not be deleted'))
				.finally(() => running.delete(delivery))
			running.add(delivery)
		},
		close: async () => {
			ending.abort()
			await Promise.all(running)
		},
	}
}

async function keepLink(links: LinkKeeper, message: MailMessage, log: Log): Promise<string | null> {
	const { link } = message
	if (link === undefined) return null
	try {
		return await links.keep({ ...message, link })
	} catch (error) {
		log.error({ err: error, to: message.to }, 'mail: a link could not be stored for operators')
		return null
	}
}

function announce({ to, subject, link }: MailMessage, log: Log): void {
	if (link !== undefined)
		log.warn({ to, link }, `no mail server is set; pass this link on to ${to}: ${subject}`)
}

async function tryToSend(
	transport: SmtpTransport,
	message: MailMessage,
	{ log, retryAfterMs, end }: { log: Log; retryAfterMs: readonly number[]; end: AbortSignal },
): Promise<boolean> {
	for (const waitMs of [...retryAfterMs, null]) {
		try {
			await transport.send(message)
			return true
		} catch (error) {
			const { to, subject } = message
			log.warn({ err: error, to, subject }, 'mail could not be sent; its link, if any, waits for an operator')
			if (waitMs === null || end.aborted || isFinal(error)) return false
			await pause(waitMs, end)
		}
	}
	return false
}

/** A 5xx reply of a mail server is permanent. */
function isFinal(error: unknown): boolean {
	const { responseCode } = error as { responseCode?: number }
	return responseCode !== undefined && responseCode >= 500
}

/** Ends early when the program stops; the delivery is then attempted once more. */
function pause(waitMs: number, end: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, waitMs).unref()
		end.addEventListener('abort', () => {
			clearTimeout(timer)
			resolve()
		})
	})
}
