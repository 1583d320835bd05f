import type { Transporter } from 'nodemailer'
import { isLoopbackAddress } from '../http/client-address.ts'

/** A message to a person, in plain text. */
export interface MailMessage {
	to: string
	subject: string
	text: string
	/** The link that the message is about; its secret stands behind `#token=`. Without a mail server an operator passes it on. */
	link?: string
	/** When the link ends; a week from now when absent. */
	expiresAtMs?: number
}

export interface SmtpTransport {
	/** Resolves when the mail server has taken the message. Throws when it refuses or does not answer within 20 s. */
	send(message: MailMessage): Promise<void>
	/** Resolves when the server is there and takes the credentials; sends nothing. */
	verify(): Promise<void>
}

/** Sends by the mail server of an `smtp:` or `smtps:` address; `from` is `name@host` or `Name <name@host>`. */
export function createSmtpTransport(url: string, from: string): SmtpTransport {
	let transporter: Promise<Transporter> | null = null
	return {
		verify: async () => {
			transporter ??= openTransporter(new URL(url))
			await (await transporter).verify()
		},
		send: async ({ to, subject, text }) => {
			transporter ??= openTransporter(new URL(url))
			// As an object it is one address, whatever commas it has.
			await (await transporter).sendMail({ from, to: { name: '', address: to }, subject, text })
		},
	}
}

/** The package is loaded with the first message: most instances send none for days. */
async function openTransporter(url: URL): Promise<Transporter> {
	const { createTransport } = await import('nodemailer')
	const secure = url.protocol === 'smtps:'
	const host = url.hostname.replace(/^\[|\]$/g, '')
	const isLocal = host === 'localhost' || isLoopbackAddress(host)
	return createTransport({
		host,
		port: url.port ? Number(url.port) : secure ? 465 : 587,
		secure,
		// A password never goes over the network in plain text.
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
