// The shop's side: hand over the buyer's token, hear what happens.
const sale = document.querySelector('doorbuster-sale');
const log = document.querySelector('#log');

// Your backend asks POST /v1/merchant/buyer-tokens for the customer who is signed in, and gives the token to this page.
// A sale with "guests": true needs none. Here the token is taken from `window.buyerToken`, if something set it.
if (window.buyerToken) sale.token = window.buyerToken;

for (const name of ['state', 'order', 'paid', 'refused'])
  sale.addEventListener(`doorbuster:${name}`, ({ detail }) => {
    const line = document.createElement('li');
    line.textContent = `${name}: ${detail.state ?? detail.code ?? `${detail.order.orderId} is ${detail.order.status}`}`;
    log.append(line);
  });
