import { type Static, type TSchema, Type } from '../../schema.ts';

const platform = <T extends Record<string, TSchema>>(description: string, properties: T) =>
  Type.Object(properties, { default: {}, description });
const secret = (env: string[], description: string) => Type.Optional(Type.String({ secret: true, env, description }));
const text = (env: string[], description: string) => Type.Optional(Type.String({ env, description }));
const baseUrl = (value: string, env: string[]) =>
  Type.String({ default: value, env, description: 'Base URL of the service.' });
const home = (env: string[], description: string) => text(env, `${description} Used when a route names none.`);

/** Settings of the delivery targets, by platform; spread into `platforms` next to the webhook listener's. */
export const targetSections = {
  github: platform('Comments on GitHub issues and pull requests.', {
    token: secret(['GITHUB_TOKEN', 'GH_TOKEN'], 'Token that may write issue and pull-request comments.'),
    base_url: baseUrl('https://api.github.com', ['GITHUB_API_URL', 'GITHUB_BASE_URL']),
  }),
  gitlab: platform('Notes on GitLab issues and merge requests.', {
    token: secret(['GITLAB_TOKEN'], 'Access token with the `api` scope.'),
    base_url: baseUrl('https://gitlab.com', ['GITLAB_URL', 'GITLAB_BASE_URL']),
  }),
  telegram: platform('Telegram bot.', {
    bot_token: secret(['TELEGRAM_BOT_TOKEN'], 'Token from BotFather.'),
    home_channel: home(['TELEGRAM_HOME_CHANNEL'], 'Chat id (`-100…`) or `@channel`.'),
    home_thread_id: text(
      ['TELEGRAM_HOME_CHANNEL_THREAD_ID', 'TELEGRAM_HOME_THREAD_ID'],
      'Forum topic of the home channel.',
    ),
    base_url: baseUrl('https://api.telegram.org', ['TELEGRAM_BASE_URL']),
  }),
  discord: platform('Discord bot or channel webhook.', {
    bot_token: secret(['DISCORD_BOT_TOKEN'], 'Bot token.'),
    webhook_url: secret(['DISCORD_WEBHOOK_URL'], 'Channel webhook; needs no bot.'),
    home_channel: home(['DISCORD_HOME_CHANNEL'], 'Channel id.'),
    base_url: baseUrl('https://discord.com', ['DISCORD_BASE_URL']),
  }),
  slack: platform('Slack app or incoming webhook.', {
    bot_token: secret(['SLACK_BOT_TOKEN'], 'Bot token (`xoxb-…`) with `chat:write`.'),
    webhook_url: secret(['SLACK_WEBHOOK_URL'], 'Incoming webhook; needs no app token.'),
    home_channel: home(['SLACK_HOME_CHANNEL'], 'Channel id.'),
    base_url: baseUrl('https://slack.com', ['SLACK_BASE_URL']),
    response_base_url: Type.String({
      default: 'https://hooks.slack.com',
      env: ['SLACK_RESPONSE_BASE_URL'],
      description: 'Only response addresses under this base are answered by `origin`.',
    }),
  }),
  mattermost: platform('Mattermost bot.', {
    token: secret(['MATTERMOST_TOKEN'], 'Bot or personal access token.'),
    base_url: text(['MATTERMOST_URL', 'MATTERMOST_BASE_URL'], 'Address of your Mattermost server.'),
    home_channel: home(['MATTERMOST_HOME_CHANNEL'], 'Channel id.'),
  }),
  matrix: platform('Matrix account (rooms without encryption).', {
    access_token: secret(['MATRIX_ACCESS_TOKEN'], 'Access token of the account.'),
    base_url: text(['MATRIX_HOMESERVER', 'MATRIX_BASE_URL'], 'Address of the homeserver.'),
    home_channel: home(['MATRIX_HOME_ROOM', 'MATRIX_HOME_CHANNEL'], 'Room id (`!…`).'),
  }),
  signal: platform('Signal through the signal-cli REST API.', {
    base_url: text(['SIGNAL_HTTP_URL', 'SIGNAL_BASE_URL'], 'Address of the signal-cli REST API.'),
    account: text(['SIGNAL_ACCOUNT'], 'Registered number of the sender, in E.164 form.'),
    home_channel: home(['SIGNAL_HOME_CHANNEL'], 'Number or `group.…` id.'),
  }),
  sms: platform('SMS through Twilio.', {
    account_sid: text(['TWILIO_ACCOUNT_SID'], 'Account SID (`AC…`).'),
    auth_token: secret(['TWILIO_AUTH_TOKEN'], 'Auth token.'),
    phone_number: text(['TWILIO_PHONE_NUMBER'], 'Sender: a number in E.164 form or a messaging service SID (`MG…`).'),
    home_channel: home(['SMS_HOME_CHANNEL'], 'Number in E.164 form.'),
    base_url: baseUrl('https://api.twilio.com', ['TWILIO_BASE_URL', 'SMS_BASE_URL']),
  }),
  whatsapp: platform('WhatsApp Business Cloud API.', {
    access_token: secret(['WHATSAPP_CLOUD_ACCESS_TOKEN', 'WHATSAPP_ACCESS_TOKEN'], 'Access token of the Meta app.'),
    phone_number_id: text(['WHATSAPP_CLOUD_PHONE_NUMBER_ID', 'WHATSAPP_PHONE_NUMBER_ID'], 'Id of the sender number.'),
    home_channel: home(['WHATSAPP_CLOUD_HOME_CHANNEL', 'WHATSAPP_HOME_CHANNEL'], 'Number with country code.'),
    api_version: Type.String({
      default: 'v20.0',
      env: ['WHATSAPP_CLOUD_API_VERSION'],
      description: 'Version of the Graph API.',
    }),
    base_url: baseUrl('https://graph.facebook.com', ['WHATSAPP_CLOUD_BASE_URL', 'WHATSAPP_BASE_URL']),
  }),
  email: platform('Email by SMTP.', {
    address: text(['EMAIL_ADDRESS'], 'Address of the sender.'),
    password: secret(['EMAIL_PASSWORD'], 'Password or app password; empty sends without a login.'),
    username: text(['EMAIL_USERNAME'], 'Login name when it is not the address.'),
    smtp_host: text(['EMAIL_SMTP_HOST'], 'Mail server.'),
    smtp_port: Type.Integer({
      default: 587,
      minimum: 1,
      maximum: 65535,
      env: ['EMAIL_SMTP_PORT'],
      description: 'Port of the mail server; 465 speaks TLS from the first byte.',
    }),
    smtp_tls: Type.Union([Type.Literal('auto'), Type.Literal('off')], {
      default: 'auto',
      env: ['EMAIL_SMTP_TLS'],
      description: '`auto`: TLS on 465, else STARTTLS, demanded when a password is sent; `off`: never.',
    }),
    home_channel: home(['EMAIL_HOME_ADDRESS'], 'Address of the recipient.'),
  }),
  homeassistant: platform('Home Assistant notifications.', {
    token: secret(['HASS_TOKEN'], 'Long-lived access token.'),
    base_url: baseUrl('http://homeassistant.local:8123', ['HASS_URL', 'HOMEASSISTANT_BASE_URL']),
    home_channel: home(['HASS_NOTIFY_SERVICE'], 'Notify service (`mobile_app_phone`); `notify` when unset.'),
  }),
  dingtalk: platform('DingTalk group robot.', {
    webhook_url: secret(['DINGTALK_WEBHOOK_URL'], 'Address of the robot with its access token.'),
    secret: secret(['DINGTALK_SECRET', 'DINGTALK_WEBHOOK_SECRET'], 'Signing secret (`SEC…`) of the robot.'),
  }),
  feishu: platform('Feishu or Lark group bot.', {
    webhook_url: secret(['FEISHU_WEBHOOK_URL'], 'Address of the bot.'),
    secret: secret(['FEISHU_WEBHOOK_SECRET'], 'Signing secret of the bot.'),
  }),
  wecom: platform('WeCom group robot.', {
    webhook_url: secret(['WECOM_WEBHOOK_URL'], 'Address of the robot with its key.'),
  }),
  ntfy: platform('ntfy push notifications.', {
    base_url: baseUrl('https://ntfy.sh', ['NTFY_SERVER_URL', 'NTFY_BASE_URL']),
    token: secret(['NTFY_TOKEN'], 'Access token, or `user:password`.'),
    home_channel: home(['NTFY_HOME_CHANNEL', 'NTFY_PUBLISH_TOPIC', 'NTFY_TOPIC'], 'Topic.'),
    markdown: Type.Boolean({
      default: false,
      env: ['NTFY_MARKDOWN'],
      description: 'Ask the apps to render Markdown.',
    }),
  }),
  outgoing_webhook: platform('The target `webhook`: a signed POST to a service of yours (Standard Webhooks).', {
    url: secret(['OUTGOING_WEBHOOK_URL'], 'Address; used when a route gives no `url`.'),
    secret: secret(['OUTGOING_WEBHOOK_SECRET'], 'Signing key: `whsec_` and base64, or any text.'),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      env: ['OUTGOING_WEBHOOK_ALLOWED_HOSTS'],
      description: 'Hosts (`host` or `host:port`) that the template of a route may take from an event; else none.',
    }),
  }),
};

/** Settings of the delivery targets. */
export const TargetSettings = Type.Object(targetSections);
export type TargetSettings = Static<typeof TargetSettings>;
