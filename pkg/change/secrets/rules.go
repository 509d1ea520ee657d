package secrets

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// table lists the rules. Of two rules that match the same text the earlier one names it, so special ones come first. It
// is made when it is needed, because most commands start without it.
var table = sync.OnceValue(func() []*Rule {
	return rank(slices.Concat(cloudRules(), codeRules(), modelRules(), chatRules(), moneyRules(), operationRules(),
		commandRules(), settingRules(), phraseRules(), generalRules()))
})

// Rules returns the rules of the table, in order.
func Rules() []*Rule { return slices.Clone(table()) }

func rank(rules []*Rule) []*Rule {
	for i, r := range rules {
		r.rank, r.others = i, rules
		r.prepare()
	}
	return rules
}

// prefixed is a rule for keys that begin with a mark.
func prefixed(name, example string, entropy float64, pattern string, keywords ...string) *Rule {
	return &Rule{Name: name, Keywords: keywords, Pattern: pattern, Entropy: entropy, Example: example, isMarked: true}
}

// assigned is a rule for keys without a mark, which are recognized by the name they are assigned to. Its keywords are
// parts of the names of secrets, and left is what such a name must begin with.
func assigned(name, example string, entropy float64, left, value string, keywords ...string) *Rule {
	return &Rule{
		Name: name, Keywords: keywords, Fold: true, Left: "(?i)" + left, Entropy: entropy, Example: example,
		word:    left[:len(left)-len(strings.TrimLeft(left, "abcdefghijklmnopqrstuvwxyz"))],
		Pattern: `[a-z_-]{0,30}` + assignment + "(" + value + `)(?:[^A-Za-z0-9_]|\z)`, gate: isLongAssignment,
	}
}

// assignment is what is between the name and the value of an assignment, in a programming language, in JSON, in JSON
// inside of JSON, or in a header.
const assignment = `[A-Za-z0-9_.-]{0,30}(?:\\{0,3}["'\x60])?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}(?:\\{0,3}["'\x60])?`

// The rules for the keys of clouds.
func cloudRules() []*Rule {
	return []*Rule{
		prefixed("aws-access-key", "AKIA{u16}", 2.5, `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,20}|A3T[A-Z0-9][A-Z2-7]{16}`,
			"AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
		{Name: "aws-secret-key", Keywords: []string{"secret"}, Fold: true, left: anything, Entropy: 3.5,
			gate:    isLongAssignment,
			Pattern: `secret_?(?:access_?)?key` + assignment + `([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|\z)`,
			Example: "aws_secret_access_key = {s40}"},
		assigned("aws-session-token", `"SessionToken": "{s160}"`, 3.5, `session_?`, `[A-Za-z0-9/+]{100,}={0,2}`, "token"),
		prefixed("aws-bedrock-key", "ABSK{s110}==", 3.5,
			`ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-([A-Za-z0-9+/=]{20,})`,
			"ABSK", "bedrock-api-key-"),
		prefixed("google-api-key", "AIza{w35}", 3, `AIza[0-9A-Za-z_-]{35,}`, "AIza"),
		prefixed("google-access-token", "ya29.{w60}", 3, `ya29\.[0-9A-Za-z_-]{20,}`, "ya29."),
		prefixed("google-client-secret", "GOCSPX-{w28}", 3, `GOCSPX-[0-9A-Za-z_-]{24,}`, "GOCSPX-"),
		prefixed("google-refresh-token", "1//0{w60}", 3, `1//0[0-9A-Za-z_-]{40,}`, "1//0"),
		prefixed("azure-storage-key", "AccountKey={s86}==", 3.5, `AccountKey=([A-Za-z0-9+/]{80,}={0,2})`, "AccountKey="),
		prefixed("azure-shared-key", "SharedAccessKey={s43}=", 3.5, `SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})`,
			"SharedAccessKey="),
		prefixed("azure-signature", "&sig={a43}%3D", 3, `sig=([A-Za-z0-9%/+]{40,}(?:%3[dD]|=))`, "sig="),
		{Name: "azure-client-secret", Keywords: numbered("Q~"), Left: `[A-Za-z0-9_~.]{3}`, left: partOfIt,
			Pattern: `[0-9]Q~[A-Za-z0-9_~.-]{31,40}`, Entropy: 3, Example: "abc8Q~{a34}"},
		prefixed("alibaba-key", "LTAI{a20}", 3, `LTAI[A-Za-z0-9]{16,26}`, "LTAI"),
		prefixed("tencent-key", "AKID{a32}", 3, `AKID[A-Za-z0-9]{30,}`, "AKID"),
		prefixed("digitalocean-token", "dop_v1_{h64}", 3, `do[opr]_v1_[a-f0-9]{64}`, "dop_v1_", "doo_v1_", "dor_v1_"),
		assigned("cloudflare-key", "CLOUDFLARE_API_TOKEN={w40}", 3.3, `cloudflare[a-z_]*`, `[A-Za-z0-9_-]{37,40}`,
			"token", "api_key"),
		prefixed("heroku-key", "HRKU-AA{w58}", 3, `HRKU-[A-Za-z0-9_-]{36,}`, "HRKU-"),
		assigned("heroku-legacy-key", "HEROKU_API_KEY={i}", 2.5,
			`heroku[a-z_]*`, `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "token", "api_key"),
		prefixed("fly-token", "fm2_{s120}", 3.5, `fm[12][ar]?_[A-Za-z0-9+/=]{60,}|fo1_[A-Za-z0-9_-]{43}`,
			"fm1_", "fm2_", "fm1r_", "fm1a_", "fo1_"),
		prefixed("netlify-token", "nfp_{a36}", 3, `nfp_[A-Za-z0-9]{30,}`, "nfp_"),
		prefixed("render-key", "rnd_{a28}", 3, `rnd_[A-Za-z0-9]{24,}`, "rnd_"),
		prefixed("supabase-token", "sbp_{h40}", 3, `sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}`, "sbp_", "sb_secret_"),
		prefixed("planetscale-token", "pscale_tkn_{w43}", 3, `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}`, "pscale_"),
		prefixed("databricks-token", "dapi{h32}", 3, `dapi[a-f0-9]{32}(?:-[0-9])?`, "dapi"),
		{Name: "terraform-token", Keywords: []string{".atlasv1."}, Left: `[A-Za-z0-9]{14}`, left: partOfIt,
			Pattern: `\.atlasv1\.[A-Za-z0-9_=-]{50,}`, Entropy: 3, Example: "{a14}.atlasv1.{w67}"},
		prefixed("vault-token", "hvs.{w90}", 3, `hv[sbr]\.[A-Za-z0-9_-]{24,}`, "hvs.", "hvb.", "hvr."),
		prefixed("doppler-token", "dp.st.dev.{a43}", 3, `dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}`,
			"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
		prefixed("pulumi-token", "pul-{h40}", 3, `pul-[a-f0-9]{40}`, "pul-"),
	}
}

// The rules for the keys of code hosts and package registries.
func codeRules() []*Rule {
	return []*Rule{
		prefixed("github-token", "ghp_{a36}", 2, `gh[pousr]_[A-Za-z0-9]{30,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		prefixed("github-pat", "github_pat_{a22}_{a59}", 2, `github_pat_[A-Za-z0-9_]{30,}`, "github_pat_"),
		prefixed("gitlab-token", "glpat-{w20}", 2.5, `gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,}`,
			"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"),
		prefixed("atlassian-token", "ATATT3{w186}", 3, `(?:ATATT3|ATCTT3)[A-Za-z0-9_=-]{100,}|ATBB[A-Za-z0-9_=-]{32,}`,
			"ATATT3", "ATCTT3", "ATBB"),
		prefixed("npm-token", "npm_{a36}", 3, `npm_[A-Za-z0-9]{36,}`, "npm_"),
		{Name: "npmrc-token", Keywords: []string{"_authToken=", "_auth="}, left: anything,
			Pattern: `_auth(?:Token)?=[ "]?([A-Za-z0-9_./+=-]{16,})`, Entropy: 3,
			Example: "//registry.npmjs.org/:_authToken={a36}"},
		prefixed("pypi-token", "pypi-AgEIcHlwaS5vcmc{w120}", 3, `pypi-Ag[A-Za-z0-9_-]{50,}`, "pypi-Ag"),
		prefixed("rubygems-key", "rubygems_{h48}", 3, `rubygems_[a-f0-9]{48}`, "rubygems_"),
		prefixed("docker-token", "dckr_pat_{w27}", 3, `dckr_[op]at_[A-Za-z0-9_-]{24,}`, "dckr_pat_", "dckr_oat_"),
		{Name: "docker-auth", Keywords: []string{"auth"}, left: anything, gate: isQuotedName, Entropy: 3,
			Pattern: `auth\\*": ?\\*"([A-Za-z0-9+/]{16,}={0,2})\\*"`, Example: `"auth": "{s40}"`},
		prefixed("jfrog-key", "AKCp{a69}", 3, `AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{59}`, "AKCp", "cmVmd"),
		prefixed("gitlab-runner-token", "GR1348941{w20}", 3, `GR1348941[A-Za-z0-9_-]{20}`, "GR1348941"),
		{Name: "gitlab-session", Keywords: []string{"_gitlab_session="}, left: anything, Entropy: 2.8,
			Pattern: `_gitlab_session=([0-9a-z]{32})`, Example: "_gitlab_session={h32}"},
		prefixed("sonar-token", "squ_{h40}", 3, `sq[aup]_[a-f0-9]{40}`, "squ_", "sqa_", "sqp_"),
		prefixed("circleci-token", "CCIPAT_{a22}_{h40}", 3, `CCIPAT_[A-Za-z0-9]{15,}_[a-f0-9]{40}`, "CCIPAT_"),
		prefixed("buildkite-token", "bkua_{h40}", 3, `bk(?:ua|aj|ct)_[A-Za-z0-9_]{40,}`, "bkua_", "bkaj_", "bkct_"),
		prefixed("linear-key", "lin_api_{a40}", 3, `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`, "lin_api_", "lin_oauth_"),
		prefixed("notion-token", "ntn_{a46}", 3, `ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}`, "ntn_", "secret_"),
		prefixed("figma-token", "figd_{w43}", 3, `fig(?:d|u|o|dr)_[A-Za-z0-9_-]{36,}`, "figd_", "figu_", "figo_", "figdr_"),
		prefixed("postman-key", "PMAK-{h24}-{h34}", 3, `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`, "PMAK-"),
		{Name: "dropbox-token", Keywords: []string{"sl.", "sl.u."}, gate: isSolid, isMarked: true, Entropy: 3,
			Pattern: `sl\.(?:u\.)?[A-Za-z0-9_=-]{130,}`, Example: "sl.u.{w140}"},
	}
}

// The rules for the keys of model providers.
func modelRules() []*Rule {
	return []*Rule{
		prefixed("anthropic-key", "sk-ant-api03-{w93}AA", 2, `sk-ant-[A-Za-z0-9_-]{20,}`, "sk-ant-"),
		prefixed("openrouter-key", "sk-or-v1-{h64}", 2, `sk-or-[A-Za-z0-9_-]{32,}`, "sk-or-"),
		{Name: "openai-key", Keywords: []string{"sk-"}, Pattern: `sk-[A-Za-z0-9_-]{20,}`, Entropy: 2,
			Example: "sk-proj-{w74}T3BlbkFJ{w74}", accepts: isKeyLike},
		prefixed("huggingface-token", "hf_{l34}", 3, `hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z]{34}`, "hf_", "api_org_"),
		prefixed("replicate-token", "r8_{a37}", 3, `r8_[A-Za-z0-9]{36,}`, "r8_"),
		prefixed("groq-key", "gsk_{a52}", 3, `gsk_[A-Za-z0-9]{40,}`, "gsk_"),
		prefixed("xai-key", "xai-{a80}", 3, `xai-[A-Za-z0-9]{60,}`, "xai-"),
		prefixed("perplexity-key", "pplx-{a48}", 3, `pplx-[A-Za-z0-9]{40,}`, "pplx-"),
		prefixed("nvidia-key", "nvapi-{w64}", 3, `nvapi-[A-Za-z0-9_-]{60,}`, "nvapi-"),
		prefixed("langsmith-key", "lsv2_pt_{h32}_{h10}", 3, `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, "lsv2_"),
		prefixed("tavily-key", "tvly-dev-{a32}", 3, `tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}`, "tvly-"),
		prefixed("firecrawl-key", "fc-{h32}", 3, `fc-[a-f0-9]{32}`, "fc-").gated(isHexKey),
		prefixed("elevenlabs-key", "sk_{h48}", 3, `sk_[a-f0-9]{48}`, "sk_"),
		prefixed("fireworks-key", "fw_{a24}", 3, `fw_[A-Za-z0-9]{22,}`, "fw_"),
	}
}

// The rules for the keys of messengers and mail services.
func chatRules() []*Rule {
	return []*Rule{
		{Name: "slack-token", nests: true, Entropy: 2, Example: "xoxb-{d12}-{d13}-{a24}",
			Keywords: []string{"xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"},
			Pattern:  `xox[abeoprs]-[A-Za-z0-9-]{20,}|xox[ar]-[A-Za-z0-9]{12,}|xoxe\.xox[bp]-[A-Za-z0-9-]{20,}`},
		prefixed("slack-app-token", "xapp-1-{u11}-{d13}-{h64}", 3, `xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}`, "xapp-"),
		prefixed("slack-webhook", "hooks.slack.com/services/T{u10}/B{u10}/{a24}", 3,
			`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{30,})`, "hooks.slack.com"),
		prefixed("discord-webhook", "discord.com/api/webhooks/{d18}/{w68}", 3,
			`webhooks/[0-9]+/([A-Za-z0-9_-]{50,})`, "webhooks").gated(isBeforeNumber),
		assigned("discord-token", `DISCORD_TOKEN="M{a23}.{a6}.{w38}"`, 3.3,
			`discord[a-z_]*`, `[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}`, "token"),
		{Name: "telegram-token", Keywords: []string{":AA"}, Left: `(?:bot)?([0-9]{8,10})`, left: partOfIt,
			Pattern: `:AA[A-Za-z0-9_-]{32,34}`, Entropy: 3, Example: "{d10}:AA{w33}"},
		assigned("twilio-token", "TWILIO_AUTH_TOKEN={h32}", 2.8, `twilio[a-z_]*`, `[a-f0-9]{32}`, "token"),
		prefixed("sendgrid-key", "SG.{w22}.{w43}", 3, `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}`, "SG."),
		prefixed("mailgun-key", "key-{h32}", 2.8, `key-[a-f0-9]{32}`, "key-"),
		assigned("mailchimp-key", "MAILCHIMP_API_KEY={h32}-us12", 2.8, `[a-z0-9_.-]*`, `[a-f0-9]{32}-us[0-9]{1,2}`, "api_key",
			"apikey", "api-key"),
		prefixed("brevo-key", "xkeysib-{h64}-{a16}", 3, `xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}`, "xkeysib-"),
		prefixed("resend-key", "re_{a8}_{a24}", 3, `re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}`, "re_"),
		prefixed("teams-webhook", "webhook.office.com/webhookb2/{i}@{i}/IncomingWebhook/{h32}/{i}", 3,
			`webhookb2/([A-Za-z0-9@/-]{80,})`, "webhookb2"),
	}
}

// The rules for the keys of shops and payment services.
func moneyRules() []*Rule {
	return []*Rule{
		prefixed("stripe-key", "sk_live_{a24}", 3, `[sr]k_(?:live|test|prod)_[A-Za-z0-9]{12,}`,
			"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
		prefixed("stripe-webhook-secret", "whsec_{a32}", 3, `whsec_[A-Za-z0-9+/=]{24,}`, "whsec_"),
		prefixed("square-token", "sq0atp-{w22}", 3, `sq0[a-z]{3}-[A-Za-z0-9_-]{22,}`, "sq0atp-", "sq0csp-", "sq0idp-"),
		{Name: "square-access-token", Keywords: []string{"EAAA"}, gate: isSolid, accepts: standsAlone, Entropy: 4,
			Pattern: `(EAAA[A-Za-z0-9_-]{56,64})(?:[^A-Za-z0-9_+/=-]|\z)`, Example: "EAAA{a60}"},
		prefixed("shopify-token", "shpat_{h32}", 2.8, `shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}`,
			"shpat_", "shpca_", "shppa_", "shpss_", "shptka_"),
		prefixed("razorpay-key", "rzp_live_{a14}", 3, `rzp_(?:live|test)_[A-Za-z0-9]{14,}`, "rzp_live_", "rzp_test_"),
		prefixed("paypal-token", "access_token$production${l16}${h32}", 3,
			`access_token\$(?:production|sandbox)\$([a-z0-9]{16}\$[a-f0-9]{32})`, "access_token$"),
		prefixed("flutterwave-key", "FLWSECK_TEST-{h32}-X", 3, `FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}`, "FLWSECK"),
	}
}

// The rules for the keys of services that watch and run other services.
func operationRules() []*Rule {
	return []*Rule{
		assigned("datadog-key", "DD_API_KEY={h32}", 2.8, `(?:datadog[a-z_]*|dd_)`, `[a-f0-9]{40}|[a-f0-9]{32}`, "api_key",
			"app_key"),
		prefixed("newrelic-key", "NRAK-{u27}", 3, `NR(?:AK|II|RA)-[A-Za-z0-9_-]{24,}|NRJS-[A-Za-z0-9]{19,}`, "NRAK-",
			"NRII-", "NRJS-", "NRRA-"),
		prefixed("sentry-token", "sntrys_{s120}", 3, `sntry[su]_[A-Za-z0-9+/=_-]{60,}`, "sntrys_", "sntryu_"),
		prefixed("grafana-token", "glsa_{a32}_{h8}", 3, `glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/=]{32,}`,
			"glsa_", "glc_"),
		prefixed("honeycomb-key", "hcaik_{l58}", 3, `hc[abx]ik_[a-z0-9]{50,}`, "hcaik_", "hcbik_", "hcxik_"),
		prefixed("dynatrace-token", "dt0c01.{u24}.{u64}", 3, `dt0[cs][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`,
			"dt0c01.", "dt0s01.", "dt0s16."),
		prefixed("launchdarkly-key", "sdk-{i}", 2.8, `(?:sdk|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`,
			"sdk-", "api-").gated(isHexKey),
		prefixed("mapbox-token", "sk.eyJ{a80}.{w22}", 3, `sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{16,}`, "sk.eyJ"),
		prefixed("tailscale-key", "tskey-auth-{a16}-{a32}", 3, `tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}`, "tskey-"),
		prefixed("onepassword-token", "ops_eyJ{s300}", 3, `ops_eyJ[A-Za-z0-9+/=_-]{200,}`, "ops_eyJ"),
		prefixed("hubspot-token", "pat-na1-{i}", 2.8, `pat-(?:na|eu)[0-9]-[0-9a-f-]{36}`, "pat-na", "pat-eu"),
		prefixed("contentful-token", "CFPAT-{w43}", 3, `CFPAT-[A-Za-z0-9_-]{40,}`, "CFPAT-"),
		prefixed("typeform-token", "tfp_{w44}", 3, `tfp_[A-Za-z0-9_.-]{40,}`, "tfp_"),
		prefixed("adobe-secret", "p8e-{l32}", 3, `p8e-[A-Za-z0-9]{32}`, "p8e-"),
		{Name: "airtable-token", Keywords: []string{"pat"}, gate: isDotted(17), Entropy: 3,
			Pattern: `pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`, Example: "pat{a14}.{h64}"},
		prefixed("authress-key", "authress_{l12}.{l4}.acc-{l20}.{w64}", 3,
			`(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}`+
				`\.[A-Za-z0-9+/_=-]{30,120}`,
			"sc_", "ext_", "scauth_", "authress_"),
		prefixed("clickhouse-key", "4b1d{a38}", 3, `4b1d[A-Za-z0-9]{38}`, "4b1d"),
		prefixed("clojars-token", "CLOJARS_{l60}", 3, `CLOJARS_[A-Za-z0-9]{60}`, "CLOJARS_"),
		prefixed("cloudflare-origin-key", "v1.0-{h24}-{h146}", 3, `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`, "v1.0-"),
		prefixed("defined-key", "dnkey-{w26}-{w52}", 3, `dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}`, "dnkey-"),
		prefixed("duffel-token", "duffel_live_{w43}", 3, `duffel_(?:test|live)_[A-Za-z0-9_=-]{43}`, "duffel_"),
		prefixed("easypost-key", "EZAK{a54}", 3, `EZ[AT]K[A-Za-z0-9]{54}`, "EZAK", "EZTK"),
		prefixed("facebook-page-token", "EAAC{a120}", 3, `EAA[MC][A-Za-z0-9]{100,}`, "EAAM", "EAAC"),
		{Name: "facebook-app-token", Keywords: numbered(numbered("|")...), Left: `[0-9]{13,14}`, left: partOfIt,
			Pattern: `[0-9]{2}\|[A-Za-z0-9_-]{27,40}`, Entropy: 3, Example: "1234567890123456|{w27}"},
		prefixed("frameio-token", "fio-u-{w64}", 3, `fio-u-[A-Za-z0-9_=-]{64}`, "fio-u-"),
		prefixed("grafana-key", "eyJrIjoi{a88}=", 3, `eyJrIjoi[A-Za-z0-9]{70,400}={0,3}`, "eyJrIjoi"),
		prefixed("harness-token", "pat.{w22}.{h24}.{a20}", 3, `[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`,
			"pat.", "sat."),
		prefixed("intra-secret", "s-s4t2ud-{h64}", 3, `s-s4t2(?:ud|af)-[a-fA-F0-9]{64}`, "s-s4t2ud-", "s-s4t2af-"),
		prefixed("infracost-key", "ico-{a32}", 3, `ico-[A-Za-z0-9]{32}`, "ico-"),
		prefixed("intercom-token", "dG9rO{s54}=", 3, `dG9rO[A-Za-z0-9+/_-]{50,}={0,2}`, "dG9rO"),
		{Name: "maxmind-key", Keywords: []string{"_mmk"}, Left: `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}`, left: partOfIt,
			Pattern: `_mmk(?:\b|$)`, Entropy: 3, Example: "{a6}_{a29}_mmk"},
		prefixed("octopus-key", "API-{u26}", 3, `API-[A-Z0-9]{26}`, "API-"),
		prefixed("onepassword-key", "A3-{u6}-{u11}-{u5}-{u5}-{u5}", 3,
			`A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}`, "A3-"),
		prefixed("openshift-token", "sha256~{w43}", 3, `sha256~[A-Za-z0-9_-]{43}`, "sha256~"),
		prefixed("plaid-token", "access-production-{i}", 2.8,
			`access-(?:sandbox|development|production)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`,
			"access-sandbox-", "access-development-", "access-production-"),
		prefixed("prefect-key", "pnu_{l36}", 3, `pn[bu]_[A-Za-z0-9]{36}`, "pnu_", "pnb_"),
		prefixed("readme-key", "rdme_{l70}", 3, `rdme_[a-z0-9]{70}`, "rdme_"),
		prefixed("scalingo-token", "tk-us-{w48}", 3, `tk-us-[A-Za-z0-9_-]{48}`, "tk-us-"),
		prefixed("settlemint-token", "sm_pat_{a16}", 2.8, `sm_[aps]at_[A-Za-z0-9]{16}`, "sm_aat_", "sm_pat_", "sm_sat_"),
		prefixed("shippo-token", "shippo_live_{h40}", 3, `shippo_(?:live|test)_[a-fA-F0-9]{40}`, "shippo_"),
		prefixed("sourcegraph-token", "sgp_{h16}_{h40}", 3, `sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}`, "sgp_"),
		{Name: "twilio-key", Keywords: twilioMarks(), Entropy: 2.8, Example: "SK{h32}",
			Pattern: `SK[0-9a-fA-F]{32}(?:\b|$)`},
		prefixed("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA{a80}", 2.5, `A{20,22}[A-Za-z0-9%]{80,}`,
			"AAAAAAAAAAAAAAAAAAAA"),
		{Name: "yandex-access-token", Keywords: []string{"t1."}, Entropy: 3, Example: "t1.{a90}.{w86}", gate: isSolid,
			isMarked: true, Pattern: `t1\.[A-Za-z0-9_-]{20,}=?\.[A-Za-z0-9_-]{86}={0,2}`},
		prefixed("yandex-key", "AQVN{w36}", 3, `AQVN[A-Za-z0-9_-]{35,38}`, "AQVN"),
		prefixed("yandex-aws-key", "YCAJE{w35}", 3, `YC[A-Za-z0-9_-]{38}`, "YCAJ", "YCM", "YCN", "YCO", "YCP"),
		prefixed("age-key", "AGE-SECRET-KEY-1{q58}", 3, `AGE-SECRET-KEY-1[A-Z0-9]{50,}`, "AGE-SECRET-KEY-1"),
	}
}

// The rules that belong to no service.
func generalRules() []*Rule {
	return []*Rule{
		{Name: "private-key", Keywords: []string{"-----BEGIN "}, left: anything, long: true, gate: mayBePrivate,
			Example: "-----BEGIN RSA " + "PRIVATE KEY-----\n{s64}\n{s64}\n{s40}==\n-----END RSA " + "PRIVATE KEY-----",
			Pattern: `-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----((?:[A-Za-z0-9+/=\s]|\\+[nr]|` +
				`(?:[A-Z][A-Za-z]+-[A-Za-z]+|Version|Comment): [^\n\\]*(?:\n|\\+n))+)`, accepts: isKeyBody},
		{Name: "putty-key", Keywords: []string{"Private-Lines: "}, left: anything, long: true,
			Pattern: `Private-Lines: [0-9]+((?:[A-Za-z0-9+/=\r\n]|\\+[nr])+)`, Entropy: 3,
			Example: "Private-Lines: 2\n{s64}\n{s64}\n"},
		{Name: "jwt", Keywords: []string{"eyJ"}, Entropy: 3, long: true, nests: true, Example: "eyJ{w33}.eyJ{w60}.{w43}",
			Pattern: `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`},
		{Name: "url-password", Keywords: []string{"://"}, left: anything, gate: hasUserInfo, accepts: isURLPassword,
			Pattern: `://[^\s\x1b/?#:@"'<>\\\x60]*:([^\s\x1b/@"'<>\\\x60]{4,})@[A-Za-z0-9\[$]`,
			Example: "postgres://app:{a16}@db.internal:5432/app"},
		{Name: "connection-password", Keywords: []string{"password=", "pwd="}, Fold: true, Left: `[;"'\s]`,
			Pattern: `(?:password|pwd)=([^;"'\s\x1b\\]{6,});`, Entropy: 2, accepts: isNoPlaceholder,
			Example: "Server=db;User Id=sa;Password={a16};Encrypt=true"},
		{Name: "bearer-token", Keywords: []string{"bearer"}, Fold: true, Pattern: `bearer +([A-Za-z0-9_.~+/=-]{20,})`,
			gate: isScheme, Entropy: 3.2, accepts: isKeyLike, Example: "Authorization: Bearer {a40}"},
		{Name: "basic-auth", Keywords: []string{"authorization"}, Fold: true, left: anything, Entropy: 3, gate: assignsBasic,
			Pattern: `authorization\\{0,3}["']?[:=] ?\\{0,3}["']?basic +([A-Za-z0-9+/]{12,}={0,2})`,
			Example: "Authorization: Basic {s32}"},
		{Name: "curl-password", Keywords: []string{"curl "}, gate: isBeforeFlag("-u", "--user", "-U", "--proxy-user"),
			Pattern: `curl [^\n|;&]*?(?:-u|--user|-U|--proxy-user)[ =]['"]?[^\s\x1b:'"$]+:([^\s\x1b'"$]{4,})`,
			Entropy: 1.5, accepts: isNoPlaceholder, Example: "curl -u admin:{a12} https://example.test"},
		{Name: "netrc-password", Keywords: []string{"password"}, Fold: true, Left: `machine\s+\S+\s+login\s+\S+\s+`,
			gate:    mayFollowLogin,
			Pattern: `password\s+([^\s\x1b"')\\]{4,})`, Entropy: 1.5, accepts: isNoPlaceholder,
			Example: "machine git.test login me password {a16}"},
		{Name: "flag-password", Keywords: []string{"password", "token", "api-key", "secret"}, Fold: true, Left: `--`,
			gate:    isFlag,
			Pattern: `(?:password|token|api-key|secret)[ =]['"]?([^\s\x1b'"\x60$<>\[\]\\-][^\s\x1b'"\x60$<>)\\]{7,})`,
			Entropy: 2.5, accepts: isTyped, Example: "login --password {a16}"},
		{Name: "env-secret", Keywords: secretWords, Fold: true, left: anything, gate: isVariableName,
			Pattern: `[A-Za-z0-9_]{3,40}=(?:\\{0,3}"([^"\n\\]{6,})|\\{0,3}'([^'\n\\]{6,})|([^\s\x1b"'\x60$<>{}();&|\\,]{6,}))`,
			accepts: butNoCode(isVariable), Example: "DB_PASSWORD={a14}"},
		{Name: "sidekiq-secret", Keywords: []string{"contribsys__com"}, Fold: true, left: anything, Entropy: 2,
			Pattern: `contribsys__com` + assignment + `([0-9a-f]{8}:[0-9a-f]{8})`,
			Example: "BUNDLE_GEMS__CONTRIBSYS__COM={h8}:{h8}"},
		{Name: "encoded-secret", left: anything, Entropy: 3, Keywords: []string{"base64:"},
			Pattern: `base64:([A-Za-z0-9+/]{40,}={0,2})`, Example: "APP_KEY=base64:{s43}="},
		{Name: "secret", Keywords: secretNames, Fold: true, left: anything, gate: mayAssign, find: findAssigned,
			accepts: isGiven,
			Example: `"client_secret": "{a32}"`},
		spokenRule(), columnRule(),
	}
}

// secretWords are in the names of variables and fields that hold secrets.
var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey",
	"access-key", "private_key", "privatekey", "private-key", "credential", "auth_key", "authkey", "encryption_key",
	"signing_key",
}

// secretNames are in the names of what holds secrets, or end them.
var secretNames = slices.Concat(secretWords, []string{
	"pass=", "pass:", `pass"`, "pass'", "pass>", `pass\`, "pass ", "pwd=", "pwd:", `pwd"`, "pwd'", "pwd>", `pwd\`, "pwd ",
	"psk=", "authorization", "passcode", "api key", "account_key", "accountkey", "account-key", "master_key", "masterkey",
	"secret_key", "license_key", "ssh_key",
})

// twilioMarks are the beginnings of keys that have digits and small letters after two letters that many words have.
func twilioMarks() (marks []string) {
	for _, c := range "0123456789abcdef" {
		marks = append(marks, "SK"+string(c))
	}
	return marks
}

// isSolid is a quick look whether a long row of the characters of keys follows a keyword.
func isSolid(text []byte, at, length int) bool {
	n := 0
	for _, c := range text[min(len(text), at+length):min(len(text), at+length+20)] {
		if isKeyCharacter(c) {
			n++
		}
	}
	return n == 20
}

// isHexKey is a quick look whether the digits of a key follow a keyword. An escape may stand for anything.
func isHexKey(text []byte, at, length int) bool {
	for _, c := range text[at+length : min(len(text), at+length+8)] {
		if !isHex(c) {
			return c == '\\'
		}
	}
	return true
}

// isBeforeNumber is a quick look whether a number is the next part of an address after a keyword.
func isBeforeNumber(text []byte, at, length int) bool {
	next := at + length
	if next+1 < len(text) && text[next] == '/' {
		next++
	}
	return next < len(text) && (isDigit(text[next]) || strings.IndexByte(`\%&`, text[next]) >= 0)
}

// isScheme is a quick look whether a keyword is the scheme of a long value, which is after a space in some form.
func isScheme(text []byte, at, length int) bool {
	end := at + length
	if end < len(text) && text[end] == ' ' {
		value := skip(text, end, " ", len(text))
		return hasBody(text, value, 20) && text[value] != '$'
	}
	return end < len(text) && strings.IndexByte(`+%&\`, text[end]) >= 0
}

// standsAlone judges a key that looks like a part of other data.
func standsAlone(c candidate) bool {
	return c.start == 0 || strings.IndexByte("+/", c.text[c.start-1]) < 0
}

// isDotted returns a quick look whether a dot is so many bytes after the start of a keyword.
func isDotted(n int) func(text []byte, at, length int) bool {
	return func(text []byte, at, _ int) bool {
		if at+n < len(text) && text[at+n] == '.' {
			return longestRun(text[at:at+n]) == n
		}
		end := at + n + len(`\n`) // a line may break inside
		if end >= len(text) || text[end] != '.' {
			return false
		}
		first, last, isBroken := bytes.Cut(text[at:end], []byte(`\n`))
		return isBroken && longestRun(first) == len(first) && longestRun(last) == len(last)
	}
}

// mayBePrivate is a quick look whether a keyword may begin a private key: after capital letters, or with something
// encoded in them.
func mayBePrivate(text []byte, at, length int) bool {
	title := text[at+length : min(len(text), at+length+maxSign)]
	for i, c := range title {
		if !isUpperName(c) && c != ' ' {
			return strings.IndexByte(`\%+&`, c) >= 0 || bytes.Contains(title[:i], []byte("PRIVATE"))
		}
	}
	return true
}

// numbered returns a keyword for every digit before each text.
func numbered(texts ...string) (keywords []string) {
	for _, text := range texts {
		for c := '0'; c <= '9'; c++ {
			keywords = append(keywords, string(c)+text)
		}
	}
	return keywords
}
