// SPDX-License-Identifier: Apache-2.0

// What of OpenSSL 3 the module has, with the macros and functions of variable arguments that Swift can't import.

#ifndef OUTCROP_CLIBSSL_SHIM_H
#define OUTCROP_CLIBSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "socket.h"

static const uint64_t outcrop_no_cleanup = OPENSSL_INIT_NO_ATEXIT;

// The public key of a kind with parameters; null if they aren't one.
static inline EVP_PKEY *outcrop_public_key(const char *kind, OSSL_PARAM_BLD *builder) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

static inline EVP_PKEY *outcrop_rsa_key(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
        key = outcrop_public_key("RSA", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static inline EVP_PKEY *outcrop_p256_key(const unsigned char *point, size_t count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1)
        key = outcrop_public_key("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static inline EVP_PKEY *outcrop_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }

static inline EVP_PKEY *outcrop_generate_p256(void) { return EVP_EC_gen("P-256"); }

static inline EVP_PKEY *outcrop_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline long outcrop_bio_contents(BIO *bio, char **contents) { return BIO_get_mem_data(bio, contents); }

static const unsigned long outcrop_rfc2253 = XN_FLAG_RFC2253;

// Whether an error of a reader of PEM says that no further text begins.
static inline int outcrop_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// When a certificate expires, in seconds since 1970.
static inline long outcrop_certificate_expiry(const X509 *certificate) {
    int days = 0;
    int seconds = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    if (epoch) ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate));
    ASN1_TIME_free(epoch);
    return days * 86400L + seconds;
}

// Stacks of certificates.

static inline STACK_OF(X509) *outcrop_certificates_new(void) { return sk_X509_new_null(); }

static inline int outcrop_certificates_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }

static inline X509 *outcrop_certificates_get(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }

static inline int outcrop_certificates_add(STACK_OF(X509) *stack, X509 *certificate) {
    return stack ? sk_X509_push(stack, certificate) : 0;
}

static inline X509 *outcrop_certificates_shift(STACK_OF(X509) *stack) { return sk_X509_shift(stack); }

static inline void outcrop_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

// TLS.

static const uint64_t outcrop_tls_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t outcrop_tls_ignore_missing_end = SSL_OP_IGNORE_UNEXPECTED_EOF;

static inline int outcrop_tls_set_lowest_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

// Writes may be accepted in part and repeated with the same bytes elsewhere, idle sessions have no buffers, a call doesn't go on
// after a message without data, and reads take all that the socket has.
static inline void outcrop_tls_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(context, 1);
}

static inline void outcrop_tls_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Sends the name of the host to the server.
static inline int outcrop_tls_set_host(SSL *session, const char *host) {
    return (int)SSL_set_tlsext_host_name(session, host);
}

// Selects HTTP/1.1 of the protocols that a client offers.
static inline int outcrop_tls_choose_http(
    const unsigned char **chosen, unsigned char *chosen_count, const unsigned char *offered, unsigned offered_count) {
    static const unsigned char own[] = "\x08http/1.1";
    int result = SSL_select_next_proto((unsigned char **)chosen, chosen_count, own, sizeof own - 1, offered, offered_count);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

#endif
