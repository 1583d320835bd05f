import { Type } from 'typebox'
import { operators } from './access.ts'
import { Id, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const MailLink = Strict(
	{
		id: Id,
		to: Type.String({ description: 'E-mail address of the person that the link is for' }),
		subject: Type.String({ description: 'What the link is for' }),
		link: Type.String(),
		created_at: Time,
		expires_at: Time,
	},
	{ title: 'MailLink' },
)

export const mailLinkOperations = {
	list: operation({
		id: 'mail-links.list',
		method: 'GET',
		path: '/v1/mail-links',
		summary: 'List undelivered mail links, for an operator to pass on',
		description:
			'Without a mail server every link is listed; with one, those of messages that could not be delivered. A link leaves the list when it is delivered, used or expired. Pass one on only to the owner of the mailbox.',
		access: operators(),
		query: Strict(pageQuery),
		status: 200,
		response: Strict({ mail_links: Type.Array(MailLink), pagination: Pagination }, { title: 'MailLinkList' }),
	}),
}
