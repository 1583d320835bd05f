/** Operations that this test does not expect to write an audit record, and the reason for each. */
export const exceptions: Record<string, string> = {
	'scores.create': 'telemetry, like data received over OTLP',
	'langfuse.ingestion': 'telemetry, like scores.create',
	'langfuse.scores': 'telemetry, like scores.create',
	'toolsets.preview': 'changes nothing',
	'redaction-rules.try': 'changes nothing',
	'authorizations.consent': 'changes nothing',
	'authorizations.decide': 'needs the OAuth flow of a client and its cookie: authorization-server.test.ts',
	'upstream-credentials.authorize':
		'starts an OAuth consent; its result is recorded as upstream-credentials.connect',
	'upstream-credentials.disconnect': 'needs an authorization server: upstream-credentials.test.ts',
	'alerts.preview': 'changes nothing',
	'access-review.simulate': 'changes nothing',
	'access-review.apply': 'needs calls that are days old: access-review/suggestions',
	'access-review.revert': 'needs calls that are days old: access-review/suggestions',
	'sharing.open': 'changes nothing',
	'sharing.create': 'needs a recorded session: sharing/sharing.test.ts',
	'sharing.revoke': 'needs a recorded session: sharing/sharing.test.ts',
	'invitations.preview': 'changes nothing',
	'auth.refresh': 'continues a session whose start is recorded; reuse of a refresh token is recorded',
	'auth.oauth.link':
		'starts a sign-in; its result is recorded as auth.link_identity (federation.slow.test.ts)',
	'auth.identities.unlink': 'needs an identity provider: federation.slow.test.ts',
	'auth.setup': 'can run only once, before the first account exists: identity/audit-trail.test.ts',
	'instance.confirm-clock': 'needs a clock that jumped: clock-jump.test.ts',
	'auth.verify.resend': 'sends another link; the use of the link is recorded',
}
