/** A message to a person, in plain text. */
export interface MailMessage {
	to: string
	subject: string
	text: string
	/** The link that the message is about; without a mail server it is written to the log for the operator to pass on. */
	link?: string
}

/** Sends mail to people; without a mail server the links reach the log. Never throws: a mail that cannot be sent is logged. */
export interface Mailer {
	/** Whether a mail server is configured. */
	readonly configured: boolean
	send(message: MailMessage): Promise<void>
	close(): Promise<void>
}
