/** Operations without a record of their own, and why that is right. */
export const exceptions: Record<string, string> = {
	'scores.create': 'is telemetry, as what comes by OTLP is',
	'langfuse.ingestion': 'is telemetry, as scores.create is',
	'langfuse.scores': 'is telemetry, as scores.create is',
	'toolsets.preview': 'asks, and changes nothing',
	'redaction-rules.try': 'asks, and changes nothing',
	'authorizations.consent': 'asks, and changes nothing',
	'authorizations.decide': 'needs the way of a client and its cookie: authorization-server.test.ts',
	'upstream-credentials.authorize':
		'begins a consent; what comes of it is recorded as upstream-credentials.connect',
	'upstream-credentials.disconnect': 'needs an authorization server: upstream-credentials.test.ts',
	'alerts.preview': 'asks, and changes nothing',
	'access-review.simulate': 'asks, and changes nothing',
	'access-review.apply': 'needs calls of days ago: access-review/suggestions',
	'access-review.revert': 'needs calls of days ago: access-review/suggestions',
	'sharing.open': 'shows, and changes nothing',
	'sharing.create': 'needs a recorded session: sharing/sharing.test.ts',
	'sharing.revoke': 'needs a recorded session: sharing/sharing.test.ts',
	'invitations.preview': 'asks, and changes nothing',
	'auth.refresh': 'goes on with a session whose beginning is recorded; a token used twice is recorded',
	'auth.oauth.link':
		'begins a sign-in; what comes of it is recorded as auth.link_identity (federation.slow.test.ts)',
	'auth.identities.unlink': 'needs a provider: federation.slow.test.ts',
	'auth.setup': 'happens once, before there is anybody: identity/audit-trail.test.ts',
	'instance.confirm-clock': 'needs a clock that jumped: clock-jump.test.ts',
	'auth.verify.resend': 'sends one more link; its use is recorded',
}
